import assert from "node:assert/strict";
import { ACCOUNT, assertRefused, freshName, REGION, scenarios } from "../world.ts";

const STANDARD_NAME = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";
const FIFO_NAME =
  "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.";

scenarios("create queue", (scenario) => {
  scenario("a created queue's URL names the endpoint, the account and the queue", async ({ sqs, endpoint }) => {
    const name = freshName();
    const { QueueUrl } = await sqs.createQueue({ QueueName: name });
    assert.equal(QueueUrl, `${endpoint}/${ACCOUNT}/${name}`);
    assert.deepEqual(await sqs.getQueueUrl({ QueueName: name }), { QueueUrl });
    const { Attributes } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ["QueueArn"] });
    assert.deepEqual(Attributes, { QueueArn: `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}` });
  });

  scenario("a name has 1 to 80 letters, digits, hyphens and underscores", async ({ sqs }) => {
    const longest = freshName("-_").padEnd(80, "A");
    assert.ok((await sqs.createQueue({ QueueName: longest })).QueueUrl?.endsWith(longest));
    for (const name of [`${longest}b`, "has space", "sla/sh", "dot.ted", "umläut", "colon:"]) {
      await assertRefused(sqs.createQueue({ QueueName: name }), "InvalidParameterValue", STANDARD_NAME);
    }
    await assert.rejects(sqs.createQueue({ QueueName: "" }), { status: 400 });
    await assert.rejects(sqs.createQueue({ QueueName: undefined }), { status: 400 });
  });

  scenario("the suffix counts towards a FIFO name's 80 characters", async ({ sqs }) => {
    const Attributes = { FifoQueue: "true" };
    const longest = `${freshName().padEnd(75, "f")}.fifo`;
    assert.ok((await sqs.createQueue({ QueueName: longest, Attributes })).QueueUrl?.endsWith(longest));
    for (const name of [`x${longest}`, freshName(), "b ad.fifo", "a.b.fifo", ".fifo", `${freshName()}.fifo.`]) {
      await assertRefused(sqs.createQueue({ QueueName: name, Attributes }), "InvalidParameterValue", FIFO_NAME);
    }
  });

  scenario("a name with the FIFO suffix needs FifoQueue", async ({ sqs }) => {
    await assertRefused(sqs.createQueue({ QueueName: freshName(".fifo") }), "InvalidParameterValue", STANDARD_NAME);
  });

  scenario("FifoQueue takes True in any case of letters and reads back in lower case", async (world) => {
    const queue = await world.queue({ FifoQueue: "True", ContentBasedDeduplication: "TRUE" }, freshName(".fifo"));
    assert.deepEqual(await queue.attributes("FifoQueue", "ContentBasedDeduplication"), {
      FifoQueue: "true",
      ContentBasedDeduplication: "true",
    });
  });

  scenario("a standard queue knows no FIFO attributes", async ({ sqs }) => {
    const create = (Attributes: Record<string, string>) => sqs.createQueue({ QueueName: freshName(), Attributes });
    for (const FifoQueue of ["false", "False"]) {
      await assertRefused(create({ FifoQueue }), "InvalidAttributeName", "Unknown Attribute FifoQueue.");
    }
    for (const ContentBasedDeduplication of ["true", "false"]) {
      const text = "Unknown Attribute ContentBasedDeduplication.";
      await assertRefused(create({ ContentBasedDeduplication }), "InvalidAttributeName", text);
    }
    for (const [name, value] of [
      ["DeduplicationScope", "queue"],
      ["FifoThroughputLimit", "perQueue"],
    ] as const) {
      const text = `You can specify the ${name} only when FifoQueue is set to true.`;
      await assertRefused(create({ [name]: value }), "InvalidAttributeName", text);
    }
  });

  scenario("unknown and read-only attributes are refused by name", async ({ sqs }) => {
    for (const name of ["NoSuchThing", "QueueArn", "CreatedTimestamp", "ApproximateNumberOfMessages", "All"]) {
      const call = sqs.createQueue({ QueueName: freshName(), Attributes: { [name]: "1" } });
      await assertRefused(call, "InvalidAttributeName", `Unknown Attribute ${name}.`);
    }
  });

  scenario("each numeric attribute takes its whole range and nothing beyond", async (world) => {
    const ranges: Record<string, [number, number]> = {
      DelaySeconds: [0, 900],
      MaximumMessageSize: [1024, 1_048_576],
      MessageRetentionPeriod: [60, 1_209_600],
      ReceiveMessageWaitTimeSeconds: [0, 20],
      VisibilityTimeout: [0, 43_200],
      KmsDataKeyReusePeriodSeconds: [60, 86_400],
    };
    for (const [name, [min, max]] of Object.entries(ranges)) {
      for (const value of [min, max]) {
        const queue = await world.queue({ [name]: String(value) });
        assert.equal((await queue.attributes())?.[name], String(value));
      }
      for (const value of [String(min - 1), String(max + 1), "many", "1.5", ""]) {
        const call = world.sqs.createQueue({ QueueName: freshName(), Attributes: { [name]: value } });
        await assertRefused(call, "InvalidAttributeValue", /^Invalid value for the parameter /);
      }
    }
  });

  scenario("one kind of encryption at a time", async ({ sqs }) => {
    const Attributes = { KmsMasterKeyId: "alias/pond", SqsManagedSseEnabled: "true" };
    await assertRefused(
      sqs.createQueue({ QueueName: freshName(), Attributes }),
      "InvalidAttributeName",
      "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.",
    );
  });

  scenario("high throughput needs deduplication by message group", async (world) => {
    const Attributes = { FifoQueue: "true", FifoThroughputLimit: "perMessageGroupId" };
    const call = world.sqs.createQueue({ QueueName: freshName(".fifo"), Attributes });
    await assertRefused(call, "InvalidAttributeValue");
    const fast = await world.fifo({ DeduplicationScope: "messageGroup", FifoThroughputLimit: "perMessageGroupId" });
    assert.equal(await fast.attribute("FifoThroughputLimit"), "perMessageGroupId");
    for (const wrong of [{ DeduplicationScope: "group" }, { FifoThroughputLimit: "perGroup" }]) {
      const refused = { FifoQueue: "true", ...wrong };
      await assertRefused(
        world.sqs.createQueue({ QueueName: freshName(".fifo"), Attributes: refused }),
        "InvalidAttributeValue",
      );
    }
  });

  scenario("creating a queue again compares only the attributes that are passed", async (world) => {
    const queue = await world.queue({ DelaySeconds: "5", VisibilityTimeout: "40" });
    for (const Attributes of [undefined, {}, { DelaySeconds: "5" }, { VisibilityTimeout: "40", DelaySeconds: "5" }]) {
      const again = await world.sqs.createQueue({ QueueName: queue.name, ...(Attributes && { Attributes }) });
      assert.equal(again.QueueUrl, queue.url);
    }
    await assertRefused(
      world.sqs.createQueue({ QueueName: queue.name, Attributes: { DelaySeconds: "6" } }),
      "QueueAlreadyExists",
      "A queue already exists with the same name and a different value for attribute DelaySeconds",
    );
    assert.deepEqual(await queue.attributes("DelaySeconds", "VisibilityTimeout"), {
      DelaySeconds: "5",
      VisibilityTimeout: "40",
    });
  });

  scenario("creating a queue again compares defaults and values that were set later", async (world) => {
    const queue = await world.queue();
    const create = (Attributes: Record<string, string>) => world.sqs.createQueue({ QueueName: queue.name, Attributes });
    await create({ VisibilityTimeout: "30", MaximumMessageSize: "1048576" });
    await queue.set({ VisibilityTimeout: "11" });
    await create({ VisibilityTimeout: "11" });
    const text = "A queue already exists with the same name and a different value for attribute VisibilityTimeout";
    await assertRefused(create({ VisibilityTimeout: "30" }), "QueueAlreadyExists", text);
  });

  scenario("creating a queue again compares its redrive policy by meaning, and keeps messages", async (world) => {
    const { source, dlq } = await world.withDeadLetters(3);
    await source.send("kept");
    const RedrivePolicy = JSON.stringify({ maxReceiveCount: "3", deadLetterTargetArn: dlq.arn });
    await world.sqs.createQueue({ QueueName: source.name, Attributes: { RedrivePolicy } });
    assert.deepEqual(await source.receiveBodies(), ["kept"]);
  });

  scenario("creating a queue again with other tags is refused, with its own tags it is not", async ({ sqs }) => {
    const QueueName = freshName();
    const { QueueUrl } = await sqs.createQueue({ QueueName, tags: { pond: "north" } });
    assert.deepEqual(await sqs.createQueue({ QueueName, tags: { pond: "north" } }), { QueueUrl });
    assert.deepEqual(await sqs.createQueue({ QueueName }), { QueueUrl });
    await assertRefused(sqs.createQueue({ QueueName, tags: { pond: "south" } }), "QueueAlreadyExists");
    assert.deepEqual(await sqs.listQueueTags({ QueueUrl }), { Tags: { pond: "north" } });
  });

  scenario("the URL of a queue can be asked for by name, with the owner's account too", async (world) => {
    const queue = await world.queue();
    const input = { QueueName: queue.name, QueueOwnerAWSAccountId: ACCOUNT };
    assert.deepEqual(await world.sqs.getQueueUrl(input), { QueueUrl: queue.url });
    const missing = world.protocol === "json" ? "exist." : "exist for this wsdl version.";
    for (const wrong of [{ QueueName: "nowhere" }, { QueueName: queue.name, QueueOwnerAWSAccountId: "111122223333" }]) {
      const code = "AWS.SimpleQueueService.NonExistentQueue";
      await assertRefused(world.sqs.getQueueUrl(wrong), code, `The specified queue does not ${missing}`);
    }
  });
});
