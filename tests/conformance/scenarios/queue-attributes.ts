import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../world.ts";

const STANDARD_ATTRIBUTES = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesDelayed",
  "ApproximateNumberOfMessagesNotVisible",
  "CreatedTimestamp",
  "DelaySeconds",
  "LastModifiedTimestamp",
  "MaximumMessageSize",
  "MessageRetentionPeriod",
  "QueueArn",
  "ReceiveMessageWaitTimeSeconds",
  "SqsManagedSseEnabled",
  "VisibilityTimeout",
];
const FIFO_ATTRIBUTES = ["ContentBasedDeduplication", "DeduplicationScope", "FifoQueue", "FifoThroughputLimit"];

scenarios("queue attributes", (scenario) => {
  scenario("a fresh standard queue has the defaults and nothing else", async (world) => {
    const queue = await world.queue();
    const seconds = String(Math.floor(world.nowMs() / 1000));
    const attributes = await queue.attributes();
    assert.deepEqual(Object.keys(attributes ?? {}).sort(), STANDARD_ATTRIBUTES);
    assert.deepEqual(
      { ...attributes },
      {
        ApproximateNumberOfMessages: "0",
        ApproximateNumberOfMessagesDelayed: "0",
        ApproximateNumberOfMessagesNotVisible: "0",
        CreatedTimestamp: seconds,
        DelaySeconds: "0",
        LastModifiedTimestamp: seconds,
        MaximumMessageSize: "1048576",
        MessageRetentionPeriod: "345600",
        QueueArn: queue.arn,
        ReceiveMessageWaitTimeSeconds: "0",
        SqsManagedSseEnabled: "true",
        VisibilityTimeout: "30",
      },
    );
  });

  scenario("a fresh FIFO queue has four attributes more", async (world) => {
    const queue = await world.fifo({ ContentBasedDeduplication: "false" });
    const attributes = (await queue.attributes()) ?? {};
    assert.deepEqual(Object.keys(attributes).sort(), [...STANDARD_ATTRIBUTES, ...FIFO_ATTRIBUTES].sort());
    assert.deepEqual(
      FIFO_ATTRIBUTES.map((name) => attributes[name]),
      ["false", "queue", "true", "perQueue"],
    );
  });

  scenario("only the attributes asked for come back, and none means none", async (world) => {
    const queue = await world.queue();
    assert.deepEqual(await queue.attributes("DelaySeconds", "VisibilityTimeout"), {
      DelaySeconds: "0",
      VisibilityTimeout: "30",
    });
    assert.deepEqual(await queue.attributes("Policy", "DelaySeconds"), { DelaySeconds: "0" });
    const { sqs } = world;
    assert.deepEqual(await sqs.getQueueAttributes({ QueueUrl: queue.url }), {});
    assert.deepEqual(await sqs.getQueueAttributes({ QueueUrl: queue.url, AttributeNames: [] }), {});
    for (const name of ["Policy", "RedrivePolicy", "KmsMasterKeyId", "FifoQueue"] as const) {
      assert.equal(await queue.attributes(name), undefined);
    }
    assert.equal(Object.keys((await queue.attributes("DelaySeconds", "All")) ?? {}).length, 12);
  });

  scenario("an unknown attribute name is refused", async (world) => {
    const queue = await world.queue();
    const AttributeNames = ["DelaySeconds", "Foobar"] as never[];
    await assertRefused(
      world.sqs.getQueueAttributes({ QueueUrl: queue.url, AttributeNames }),
      "InvalidAttributeName",
      "Unknown Attribute Foobar.",
    );
  });

  scenario("setting attributes keeps those that are not named and moves the modification time", async (world) => {
    const queue = await world.queue({ DelaySeconds: "7" });
    const created = await queue.attributes("CreatedTimestamp", "LastModifiedTimestamp");
    await world.advance(90);
    await queue.set({ VisibilityTimeout: "12" });
    assert.equal(await queue.attribute("DelaySeconds"), "7");
    assert.equal(await queue.attribute("VisibilityTimeout"), "12");
    assert.equal(await queue.attribute("CreatedTimestamp"), created?.CreatedTimestamp);
    const modified = Number(await queue.attribute("LastModifiedTimestamp"));
    assert.equal(modified, Number(created?.LastModifiedTimestamp) + 90);
  });

  scenario("a set with one bad value changes nothing", async (world) => {
    const queue = await world.queue();
    await assertRefused(queue.set({ DelaySeconds: "9", VisibilityTimeout: "43201" }), "InvalidAttributeValue");
    await assertRefused(
      queue.set({ DelaySeconds: "9", QueueArn: "x" }),
      "InvalidAttributeName",
      "Unknown Attribute QueueArn.",
    );
    assert.equal(await queue.attribute("DelaySeconds"), "0");
  });

  scenario("a set without attributes is a missing parameter", async (world) => {
    const queue = await world.queue();
    const text = "The request must contain the parameter Attribute.Name.";
    await assertRefused(queue.set({}), "MissingParameter", text);
    const { sqs } = world;
    await assertRefused(sqs.setQueueAttributes({ QueueUrl: queue.url, Attributes: undefined }), "MissingParameter");
  });

  scenario("a queue's type cannot be changed", async (world) => {
    const standard = await world.queue();
    for (const FifoQueue of ["true", "false"]) {
      await assertRefused(standard.set({ FifoQueue }), "InvalidAttributeName", "Unknown Attribute FifoQueue.");
    }
    await assertRefused(
      standard.set({ ContentBasedDeduplication: "true" }),
      "InvalidAttributeName",
      "Unknown Attribute ContentBasedDeduplication.",
    );
    const fifo = await world.fifo();
    await fifo.set({ FifoQueue: "true" });
    const text = "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.";
    await assertRefused(fifo.set({ FifoQueue: "false" }), "InvalidAttributeValue", text);
  });

  scenario("a KMS key turns the queue's own encryption off, and it stays off without the key", async (world) => {
    const queue = await world.queue({ KmsMasterKeyId: "alias/pond", KmsDataKeyReusePeriodSeconds: "600" });
    const names = ["KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled"] as const;
    assert.deepEqual(await queue.attributes(...names), {
      KmsMasterKeyId: "alias/pond",
      KmsDataKeyReusePeriodSeconds: "600",
      SqsManagedSseEnabled: "false",
    });
    await queue.set({ KmsMasterKeyId: "" });
    assert.deepEqual(await queue.attributes(...names), { SqsManagedSseEnabled: "false" });
    await queue.set({ KmsMasterKeyId: "other" });
    await queue.set({ SqsManagedSseEnabled: "True" });
    assert.deepEqual(await queue.attributes(...names), { SqsManagedSseEnabled: "true" });
    await queue.set({ SqsManagedSseEnabled: "false" });
    assert.deepEqual(await queue.attributes(...names), { SqsManagedSseEnabled: "false" });
  });

  scenario("a policy reads back as sent, and an empty one removes it", async (world) => {
    const Policy = `{ "Version": "2012-10-17",\n "Statement": [{"Effect":"Allow","Principal":"*","Action":"sqs:*"}] }`;
    const queue = await world.queue({ Policy });
    assert.equal(await queue.attribute("Policy"), Policy);
    await queue.set({ Policy: "" });
    assert.equal(await queue.attribute("Policy"), undefined);
  });

  scenario("a policy that is not one is refused", async (world) => {
    const queue = await world.queue();
    for (const Policy of ["no json", "[]", "7", '{"a":', JSON.stringify({ Statement: ["x".repeat(8200)] })]) {
      await assertRefused(queue.set({ Policy }), "InvalidAttributeValue", "Invalid value for the parameter Policy.");
    }
    const statement = { Effect: "Allow", Principal: "*", Action: "sqs:SendMessage" };
    const wrongs: object[] = [
      { Version: "2012-10-16", Statement: [statement] },
      { Statement: [{ ...statement, Effect: "allow" }] },
      { Statement: [{ ...statement, Principal: undefined }] },
      { Statement: [{ ...statement, Principal: "sns.amazonaws.com" }] },
      { Statement: [{ ...statement, Action: undefined }] },
      { Statement: [{ ...statement, Condition: "aws:SourceArn" }] },
      { Statement: [statement, {}] },
    ];
    for (const wrong of wrongs) {
      const given = queue.set({ Policy: JSON.stringify(wrong) });
      await assertRefused(given, "InvalidAttributeValue", "Invalid value for the parameter Policy.");
    }
    const policyOf = (count: number) => JSON.stringify({ Statement: Array(count).fill(statement) });
    await queue.set({ Policy: policyOf(20) });
    await assertRefused(queue.set({ Policy: policyOf(21) }), "OverLimit", undefined, 403);
  });

  scenario("a new visibility timeout counts for later receives only", async (world) => {
    const queue = await world.queue({ VisibilityTimeout: "10" });
    await queue.send("m");
    await queue.receiveOne();
    await queue.set({ VisibilityTimeout: "100" });
    await world.advance(10);
    await queue.receiveOne();
    await world.advance(99);
    assert.equal(await queue.counts(), "0/1/0");
    await world.advance(1);
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("a new delay leaves delayed messages of a standard queue as they are", async (world) => {
    const queue = await world.queue({ DelaySeconds: "60" });
    await queue.send("slow");
    await queue.set({ DelaySeconds: "0" });
    await queue.send("fast");
    assert.deepEqual(await queue.receiveBodies(), ["fast"]);
    await world.advance(60);
    assert.equal((await queue.receiveBodies()).includes("slow"), true);
  });

  scenario("a new delay moves delayed messages of a FIFO queue", async (world) => {
    const queue = await world.fifo({ DelaySeconds: "60" });
    await queue.sendTo("g", "m");
    await queue.set({ DelaySeconds: "5" });
    assert.deepEqual(await queue.receiveBodies(), []);
    await world.advance(5);
    assert.deepEqual(await queue.receiveBodies(), ["m"]);
  });

  scenario("a shorter retention period expires stored messages", async (world) => {
    const queue = await world.queue();
    await queue.send("old");
    await world.advance(100);
    await queue.send("new");
    await queue.set({ MessageRetentionPeriod: "60" });
    await world.advance(0);
    assert.deepEqual(await queue.receiveBodies(), ["new"]);
    assert.equal(await queue.counts(), "0/1/0");
  });
});
