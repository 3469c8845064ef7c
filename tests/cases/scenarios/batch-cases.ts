// Reports from users about the batch calls, each by its id.

import assert from "node:assert/strict";
import { assertRefused, scenarios } from "../../conformance/world.ts";

const PREFIX = "AWS.SimpleQueueService.";

scenarios("batch cases", (scenario) => {
  scenario("C022: one oversize entry fails alone, an oversize total fails whole", async (world) => {
    const tiny = await world.queue({ MaximumMessageSize: "1024" });
    const { Successful, Failed } = await tiny.sendBatch([
      { Id: "s", MessageBody: "x".repeat(10) },
      { Id: "t", MessageBody: "x".repeat(1025) },
    ]);
    assert.deepEqual(
      Successful?.map(({ Id }) => Id),
      ["s"],
    );
    assert.deepEqual(
      Failed?.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
      [["t", "InvalidParameterValue", true]],
    );
    assert.equal(await tiny.counts(), "1/0/0");
    const big = await world.queue();
    const half = { Id: "u", MessageBody: "x".repeat(524_288) };
    const tooLong = big.sendBatch([half, { Id: "v", MessageBody: "x".repeat(524_289) }]);
    await assertRefused(tooLong, `${PREFIX}BatchRequestTooLong`, /You have sent 1048577 bytes/);
    assert.equal(await big.counts(), "0/0/0");
    const exact = await big.sendBatch([half, { ...half, Id: "v" }]);
    assert.equal(exact.Successful?.length, 2);
  });

  scenario("C023: duplicate ids in a batch fail before anything is done", async (world) => {
    const { sqs } = world;
    const queue = await world.queue({ VisibilityTimeout: "2" });
    const QueueUrl = queue.url;
    await queue.send("once");
    const { ReceiptHandle } = await queue.receiveOne();
    const code = `${PREFIX}BatchEntryIdsNotDistinct`;
    const twice = <Entry>(entry: Entry) => ({ QueueUrl, Entries: [entry, entry] });
    await assertRefused(sqs.deleteMessageBatch(twice({ Id: "dup", ReceiptHandle })), code);
    await world.advance(3);
    assert.deepEqual(await queue.receiveBodies(), ["once"]);
    await assertRefused(sqs.sendMessageBatch(twice({ Id: "dup", MessageBody: "m" })), code);
    const hide = { Id: "dup", ReceiptHandle, VisibilityTimeout: 0 };
    await assertRefused(sqs.changeMessageVisibilityBatch(twice(hide)), code);
    assert.equal(await queue.counts(), "0/1/0");
  });

  scenario("C024: empty batches, eleven entries and bad entry ids have errors of their own", async (world) => {
    const { sqs } = world;
    const queue = await world.queue();
    const QueueUrl = queue.url;
    await queue.send("m");
    const { ReceiptHandle } = await queue.receiveOne();
    assert.ok(ReceiptHandle.length > 80);
    const calls = [
      (ids: string[]) => sqs.deleteMessageBatch({ QueueUrl, Entries: ids.map((Id) => ({ Id, ReceiptHandle })) }),
      (ids: string[]) => sqs.sendMessageBatch({ QueueUrl, Entries: ids.map((Id) => ({ Id, MessageBody: "m" })) }),
    ];
    for (const call of calls) {
      await assertRefused(call([ReceiptHandle]), `${PREFIX}InvalidBatchEntryId`);
      await assertRefused(call(["a:b"]), `${PREFIX}InvalidBatchEntryId`);
      await assertRefused(call([]), `${PREFIX}EmptyBatchRequest`);
      const eleven = Array.from({ length: 11 }, (_, n) => `e${n}`);
      await assertRefused(call(eleven), `${PREFIX}TooManyEntriesInBatchRequest`, /You have sent 11\./);
    }
    assert.equal(await queue.counts(), "0/1/0");
  });
});
