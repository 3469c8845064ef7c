import assert from "node:assert/strict";
import type { ScenarioQueue } from "../scenario-queue.ts";
import { ACCOUNT, assertRefused, freshName, REGION, scenarios } from "../world.ts";

function allow(queue: ScenarioQueue, policy: unknown) {
  return queue.set({ RedriveAllowPolicy: typeof policy === "string" ? policy : JSON.stringify(policy) });
}

scenarios("redrive policy", (scenario) => {
  scenario("a redrive policy reads back as stored, with its count as number or text", async (world) => {
    const dlq = await world.queue();
    for (const count of [1, 1000, "5"]) {
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: count });
      const queue = await world.queue({ RedrivePolicy });
      assert.equal(await queue.attribute("RedrivePolicy"), RedrivePolicy);
      await queue.set({ RedrivePolicy: "" });
      assert.equal(await queue.attribute("RedrivePolicy"), undefined);
      await queue.set({ RedrivePolicy });
      assert.equal(await queue.attribute("RedrivePolicy"), RedrivePolicy);
    }
  });

  scenario("each flaw of a redrive policy has its text, on create and on set", async (world) => {
    const { sqs } = world;
    const dlq = await world.queue();
    const fifoDlq = await world.fifo();
    const target = { deadLetterTargetArn: dlq.arn };
    const flaws: [unknown, string][] = [
      [target, "Redrive policy does not contain mandatory attribute: maxReceiveCount."],
      [{ maxReceiveCount: 3 }, "Redrive policy does not contain mandatory attribute: deadLetterTargetArn."],
      ...[0, 1001, -1].map((n): [unknown, string] => [
        { ...target, maxReceiveCount: n },
        `Invalid value for maxReceiveCount: ${n}, valid values are from 1 to 1000 both inclusive.`,
      ]),
      [{ deadLetterTargetArn: `${dlq.arn}-missing`, maxReceiveCount: 3 }, "Dead letter target does not exist."],
      [
        { deadLetterTargetArn: `arn:aws:sns:${REGION}:${ACCOUNT}:topic`, maxReceiveCount: 3 },
        "Only SQS queues are valid resources for deadLetterTargetArn.",
      ],
      [{ deadLetterTargetArn: dlq.name, maxReceiveCount: 3 }, "Dead-letter target ARN should be fully qualified ARN."],
      [
        { ...target, maxReceiveCount: 3, extra: 1 },
        "Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn].",
      ],
      [
        { deadLetterTargetArn: fifoDlq.arn, maxReceiveCount: 3 },
        "Dead-letter queue must be same type of queue as the source.",
      ],
    ];
    const queue = await world.queue();
    for (const [policy, reason] of flaws) {
      const RedrivePolicy = JSON.stringify(policy);
      const text = `Value ${RedrivePolicy} for parameter RedrivePolicy is invalid. Reason: ${reason}`;
      await assertRefused(queue.set({ RedrivePolicy }), "InvalidParameterValue", text);
      const create = sqs.createQueue({ QueueName: freshName(), Attributes: { RedrivePolicy } });
      await assertRefused(create, "InvalidParameterValue", text);
    }
    for (const RedrivePolicy of ["not json", "[]", "3", "null"]) {
      const text = "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.";
      await assertRefused(queue.set({ RedrivePolicy }), "InvalidParameterValue", text);
    }
    assert.equal(await queue.attribute("RedrivePolicy"), undefined);
  });

  scenario("a redrive allow policy reads back, is removed by an empty one, and has its own texts", async (world) => {
    const queue = await world.queue();
    for (const permission of ["allowAll", "denyAll"]) {
      const policy = JSON.stringify({ redrivePermission: permission });
      await allow(queue, policy);
      assert.equal(await queue.attribute("RedriveAllowPolicy"), policy);
    }
    await allow(queue, "");
    assert.equal(await queue.attribute("RedriveAllowPolicy"), undefined);
    const start = "Invalid value for the parameter RedriveAllowPolicy. Reason: ";
    const format = `${start}Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format.`;
    for (const bad of [
      "not json",
      "[]",
      {},
      { redrivePermission: "some" },
      { redrivePermission: "byQueue", sourceQueueArns: 1 },
    ]) {
      await assertRefused(allow(queue, bad), "InvalidParameterValue", format);
    }
    const arns = Array.from({ length: 11 }, (_, n) => `${queue.arn}${n}`);
    await assertRefused(
      allow(queue, { redrivePermission: "byQueue", sourceQueueArns: arns }),
      "InvalidParameterValue",
      /The maximum number of source queue ARNs you can specify is 10\.$/,
    );
    await allow(queue, { redrivePermission: "byQueue", sourceQueueArns: arns.slice(1) });
    await assertRefused(
      allow(queue, { redrivePermission: "denyAll", sourceQueueArns: arns.slice(1) }),
      "InvalidParameterValue",
      /To specify one or more source queue ARNs, you must set redrivePermission to byQueue\.$/,
    );
  });

  scenario("a queue can keep others from naming it as their dead-letter queue", async (world) => {
    const dlq = await world.queue();
    const friend = await world.queue();
    const stranger = await world.queue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: 3 });
    await allow(dlq, { redrivePermission: "denyAll" });
    await assertRefused(friend.set({ RedrivePolicy }), "InvalidParameterValue");
    await allow(dlq, { redrivePermission: "byQueue", sourceQueueArns: [friend.arn] });
    await friend.set({ RedrivePolicy });
    await assertRefused(stranger.set({ RedrivePolicy }), "InvalidParameterValue");
    await allow(dlq, { redrivePermission: "allowAll" });
    await stranger.set({ RedrivePolicy });
  });

  scenario("a dead-letter queue knows its sources, a page at a time", async (world) => {
    const { sqs } = world;
    const dlq = await world.queue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: 3 });
    const sources = [];
    for (let n = 0; n < 3; n++) sources.push((await world.queue({ RedrivePolicy })).url);
    const all = await sqs.listDeadLetterSourceQueues({ QueueUrl: dlq.url });
    assert.deepEqual(all.queueUrls?.toSorted(), sources.toSorted());
    assert.equal(all.NextToken, undefined);
    const first = await sqs.listDeadLetterSourceQueues({ QueueUrl: dlq.url, MaxResults: 2 });
    assert.equal(first.queueUrls?.length, 2);
    const NextToken = first.NextToken as string;
    const rest = await sqs.listDeadLetterSourceQueues({ QueueUrl: dlq.url, MaxResults: 2, NextToken });
    assert.equal(rest.NextToken, undefined);
    const pages = [...(first.queueUrls ?? []), ...(rest.queueUrls ?? [])];
    assert.deepEqual(pages.toSorted(), sources.toSorted());
    const none = await sqs.listDeadLetterSourceQueues({ QueueUrl: sources[0] });
    assert.deepEqual(none.queueUrls ?? [], []);
    for (const MaxResults of [0, 1001]) {
      await assertRefused(
        sqs.listDeadLetterSourceQueues({ QueueUrl: dlq.url, MaxResults }),
        "InvalidParameterValue",
        "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.",
      );
    }
    await assertRefused(
      sqs.listDeadLetterSourceQueues({ QueueUrl: `${dlq.url}x` }),
      "AWS.SimpleQueueService.NonExistentQueue",
    );
  });
});
