// Reports from users about queues themselves, each by its id.

import assert from "node:assert/strict";
import { json, signedBy } from "../../conformance/http.ts";
import { ACCOUNT, assertRefused, freshName, REGION, scenarios } from "../../conformance/world.ts";

scenarios("queue cases", (scenario) => {
  scenario("C015: a fresh queue reports only the attributes AWS reports", async (world) => {
    const queue = await world.queue();
    const attributes = (await queue.attributes()) ?? {};
    assert.deepEqual(Object.keys(attributes).sort(), [
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
    ]);
    assert.match(attributes.CreatedTimestamp ?? "", /^\d{10}$/);
    assert.match(attributes.LastModifiedTimestamp ?? "", /^\d{10}$/);
    assert.equal(attributes.MaximumMessageSize, "1048576");
    const { sqs } = world;
    assert.deepEqual(await sqs.getQueueAttributes({ QueueUrl: queue.url }), {});
    const unknown = sqs.getQueueAttributes({ QueueUrl: queue.url, AttributeNames: ["NoSuchThing" as never] });
    await assertRefused(unknown, "InvalidAttributeName");
  });

  scenario("C026: FifoQueue=false and wrong .fifo names are refused", async (world) => {
    const { sqs } = world;
    const marsh = freshName("-marsh");
    const create = (QueueName: string, Attributes: Record<string, string> = {}) =>
      sqs.createQueue({ QueueName, Attributes });
    await assertRefused(create(marsh, { FifoQueue: "false" }), "InvalidAttributeName");
    await assertRefused(create(marsh, { ContentBasedDeduplication: "false" }), "InvalidAttributeName");
    await assertRefused(create(marsh, { FifoQueue: "true" }), "InvalidParameterValue");
    await assertRefused(create(`${marsh}.fifo`), "InvalidParameterValue");
    const { QueueUrl } = await create(`${marsh}.fifo`, { FifoQueue: "true" });
    const change = sqs.setQueueAttributes({ QueueUrl, Attributes: { FifoQueue: "false" } });
    await assertRefused(change, "InvalidAttributeValue");
  });

  scenario("C027: QueueUrl follows the host and port the caller used", async (world) => {
    const queue = await world.queue();
    const { port } = new URL(world.endpoint);
    assert.equal(queue.url, `http://127.0.0.1:${port}/${ACCOUNT}/${queue.name}`);
    const host = `millpond.test:${port}`;
    const headers = { ...signedBy("test"), host };
    const input = { QueueName: queue.name };
    const { QueueUrl } = JSON.parse((await json(world.endpoint, "GetQueueUrl", input, headers)).text);
    assert.equal(QueueUrl, `http://${host}/${ACCOUNT}/${queue.name}`);
    const listed = await json(world.endpoint, "ListQueues", { QueueNamePrefix: queue.name }, headers);
    assert.deepEqual(JSON.parse(listed.text).QueueUrls, [QueueUrl]);
    assert.deepEqual((await world.sqs.listQueues({ QueueNamePrefix: queue.name })).QueueUrls, [queue.url]);
    // The SDK goes to its configured endpoint and leaves finding the queue to the server.
    for (const url of [QueueUrl, `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${queue.name}`]) {
      await world.sqs.sendMessage({ QueueUrl: url, MessageBody: "m" });
    }
    assert.equal(await queue.counts(), "2/0/0");
  });

  scenario("C031: ListQueues pages with MaxResults and NextToken", async (world) => {
    const { sqs } = world;
    const QueueNamePrefix = `${freshName("-lq")}-`;
    for (let n = 0; n < 5; n++) await world.queue({}, `${QueueNamePrefix}${n}`);
    await world.queue({}, freshName("-other"));
    const first = await sqs.listQueues({ QueueNamePrefix, MaxResults: 2 });
    const second = await sqs.listQueues({ QueueNamePrefix, MaxResults: 2, NextToken: first.NextToken as string });
    const third = await sqs.listQueues({ QueueNamePrefix, MaxResults: 2, NextToken: second.NextToken as string });
    const pages = [first, second, third].map(({ QueueUrls = [] }) => QueueUrls);
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1],
    );
    assert.equal(new Set(pages.flat()).size, 5);
    assert.equal(third.NextToken, undefined);
    for (const all of [{ QueueNamePrefix, MaxResults: 5 }, { QueueNamePrefix }]) {
      const { QueueUrls, NextToken } = await sqs.listQueues(all);
      assert.equal(QueueUrls?.length, 5);
      assert.equal(NextToken, undefined);
    }
    assert.deepEqual((await sqs.listQueues({ QueueNamePrefix: "none-" })).QueueUrls ?? [], []);
  });

  scenario("C041: move tasks are validated, one per source, and can be cancelled", async (world) => {
    const { sqs } = world;
    const b = await world.queue();
    const { dlq } = await world.withDeadLetters(1);
    for (let n = 0; n < 5; n++) await dlq.send(`m${n}`);
    await assertRefused(sqs.startMessageMoveTask({ SourceArn: b.arn }), "InvalidParameterValue");
    const missing = { SourceArn: dlq.arn, DestinationArn: `${b.arn}-missing` };
    await assertRefused(sqs.startMessageMoveTask(missing), "ResourceNotFoundException", undefined, 404);
    const start = { SourceArn: dlq.arn, DestinationArn: b.arn, MaxNumberOfMessagesPerSecond: 1 };
    const { TaskHandle } = await sqs.startMessageMoveTask(start);
    await assertRefused(sqs.startMessageMoveTask(start), "InvalidParameterValue", /already a task running/);
    await world.advance(2);
    const [running] = (await sqs.listMessageMoveTasks({ SourceArn: dlq.arn })).Results ?? [];
    assert.equal(running?.Status, "RUNNING");
    assert.equal(running?.TaskHandle, TaskHandle);
    assert.equal(running?.MaxNumberOfMessagesPerSecond, 1);
    const moved = Number(running?.ApproximateNumberOfMessagesMoved);
    assert.ok(moved > 0 && moved < 5, `${moved} moved`);
    await sqs.cancelMessageMoveTask({ TaskHandle });
    await world.advance(10);
    const [cancelled] = (await sqs.listMessageMoveTasks({ SourceArn: dlq.arn })).Results ?? [];
    assert.equal(cancelled?.Status, "CANCELLED");
    assert.equal(cancelled?.TaskHandle, undefined);
    const left = Number((await dlq.counts()).split("/")[0]);
    assert.equal(left, 5 - Number(cancelled?.ApproximateNumberOfMessagesMoved));
    assert.ok(left > 0);
    await assertRefused(sqs.cancelMessageMoveTask({ TaskHandle: "garbage" }), "InvalidParameterValue");
  });
});
