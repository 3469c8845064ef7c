import assert from "node:assert/strict";
import type { SendMessageBatchRequestEntry } from "@aws-sdk/client-sqs";
import type { ScenarioQueue } from "../scenario-queue.ts";
import { assertRefused, scenarios } from "../world.ts";

const PREFIX = "AWS.SimpleQueueService.";

interface Entry {
  Id: string | undefined;
}

function entriesOf(ids: (string | undefined)[]): Entry[] {
  return ids.map((Id) => ({ Id }));
}

/** The three batch calls with the same ids, and what their entries are called. */
function batchCalls({ sqs, url }: ScenarioQueue): [entry: string, call: (entries: Entry[]) => Promise<unknown>][] {
  const QueueUrl = url;
  return [
    [
      "SendMessageBatchRequestEntry",
      (entries) =>
        sqs.sendMessageBatch({ QueueUrl, Entries: entries.map((entry) => ({ ...entry, MessageBody: "m" })) }),
    ],
    [
      "DeleteMessageBatchRequestEntry",
      (entries) =>
        sqs.deleteMessageBatch({ QueueUrl, Entries: entries.map((entry) => ({ ...entry, ReceiptHandle: "h" })) }),
    ],
    [
      "ChangeMessageVisibilityBatchRequestEntry",
      (entries) =>
        sqs.changeMessageVisibilityBatch({
          QueueUrl,
          Entries: entries.map((entry) => ({ ...entry, ReceiptHandle: "h", VisibilityTimeout: 1 })),
        }),
    ],
  ];
}

scenarios("batches", (scenario) => {
  scenario("a batch has at least one entry", async (world) => {
    const queue = await world.queue();
    for (const [entry, call] of batchCalls(queue)) {
      // The visibility batch has a text of its own, which is not known for sure.
      const text = entry.startsWith("Change")
        ? /^There should be at least one /
        : `There should be at least one ${entry} in the request.`;
      await assertRefused(call([]), `${PREFIX}EmptyBatchRequest`, text);
    }
    await assertRefused(queue.sendBatch(undefined), `${PREFIX}EmptyBatchRequest`);
  });

  scenario("a batch has at most ten entries, and that is checked before their ids", async (world) => {
    const queue = await world.queue();
    for (const [, call] of batchCalls(queue)) {
      const text = "Maximum number of entries per request are 10. You have sent 11.";
      await assertRefused(call(entriesOf(Array(11).fill("same"))), `${PREFIX}TooManyEntriesInBatchRequest`, text);
    }
  });

  scenario("entry ids have 1 to 80 letters, digits, hyphens and underscores", async (world) => {
    const queue = await world.queue();
    const text =
      "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
    for (const [entry, call] of batchCalls(queue)) {
      for (const id of ["", "a:b", "a b", "ä", "i".repeat(81)]) {
        await assertRefused(call(entriesOf(["ok", id])), `${PREFIX}InvalidBatchEntryId`, text);
      }
      await call(entriesOf(["i".repeat(80), "A-z_0"]));
      const missing = `The request must contain the parameter ${entry}.2.Id.`;
      // The older SDK's serialiser sends no field for it, so the server sees an entry without an id as well.
      await assertRefused(call(entriesOf(["ok", undefined])), "MissingParameter", missing);
    }
  });

  scenario("entry ids differ, and the first one that does not is named", async (world) => {
    const queue = await world.queue();
    for (const [, call] of batchCalls(queue)) {
      const ids = entriesOf(["a", "b", "c", "b", "a"]);
      await assertRefused(call(ids), `${PREFIX}BatchEntryIdsNotDistinct`, "Id b repeated.");
    }
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("a batch send answers for each message in order, and nothing failed means no such list", async (world) => {
    const queue = await world.queue();
    const output = await queue.sendBatch([
      { Id: "one", MessageBody: "1", MessageAttributes: { Foo: { DataType: "String", StringValue: "Bar" } } },
      { Id: "two", MessageBody: "message", DelaySeconds: 5 },
    ]);
    assert.deepEqual(Object.keys(output), ["Successful"]);
    assert.deepEqual(
      output.Successful?.map(({ Id }) => Id),
      ["one", "two"],
    );
    const [one, two] = output.Successful ?? [];
    assert.equal(one?.MD5OfMessageAttributes, "ae7155c6026991b6d54b11589678bf9c");
    assert.equal(two?.MD5OfMessageBody, "78e731027d8fd50ed642340b7c9a63b3");
    assert.notEqual(one?.MessageId, two?.MessageId);
    assert.equal(await queue.counts(), "1/0/1");
  });

  scenario("bad messages of a batch fail alone", async (world) => {
    const queue = await world.queue({ MaximumMessageSize: "1024" });
    const good: SendMessageBatchRequestEntry = { Id: "good", MessageBody: "fine" };
    const { Successful, Failed } = await queue.sendBatch([
      { Id: "long", MessageBody: "x".repeat(1025) },
      good,
      { Id: "character", MessageBody: "\u0001" },
      { Id: "bodiless", MessageBody: undefined },
      { Id: "attribute", MessageBody: "m", MessageAttributes: { a: { DataType: "String", StringValue: "" } } },
      { Id: "delay", MessageBody: "m", DelaySeconds: 901 },
      { Id: "group", MessageBody: "m", MessageGroupId: "not allowed" },
    ]);
    assert.deepEqual(
      Successful?.map(({ Id }) => Id),
      ["good"],
    );
    assert.deepEqual(
      Failed?.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]),
      [
        ["long", "InvalidParameterValue", true],
        ["character", "InvalidMessageContents", true],
        ["bodiless", "MissingParameter", true],
        ["attribute", "InvalidParameterValue", true],
        ["delay", "InvalidParameterValue", true],
        ["group", "InvalidParameterValue", true],
      ],
    );
    const [long, character, bodiless, attribute] = Failed ?? [];
    assert.equal(
      long?.Message,
      "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.",
    );
    assert.match(character?.Message ?? "", /^Invalid binary character '#x1' was found in the message body/);
    assert.equal(
      bodiless?.Message,
      "The request must contain the parameter SendMessageBatchRequestEntry.4.MessageBody.",
    );
    assert.equal(attribute?.Message, "Message (user) attribute 'a' must contain a non-empty value of type 'String'.");
    assert.deepEqual(await queue.receiveBodies(), ["fine"]);
  });

  scenario("when all messages of a batch fail there is no list of successes", async (world) => {
    const queue = await world.queue();
    const output = await queue.sendBatch([{ Id: "a", MessageBody: "\u0001" }]);
    assert.deepEqual(Object.keys(output), ["Failed"]);
  });

  scenario("the sum of a batch is at most a mebibyte, attributes included", async (world) => {
    const queue = await world.queue({ MaximumMessageSize: "1024" });
    const half = "x".repeat(524_288);
    const MessageAttributes = { k: { DataType: "String", StringValue: "v" } };
    const text = "Batch requests cannot be longer than 1048576 bytes. You have sent 1048584 bytes.";
    const tooLong = queue.sendBatch([
      { Id: "a", MessageBody: half },
      { Id: "b", MessageBody: half, MessageAttributes },
    ]);
    await assertRefused(tooLong, `${PREFIX}BatchRequestTooLong`, text);
  });

  scenario("deletes of a batch succeed and fail alone", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    const { ReceiptHandle } = await queue.receiveOne();
    const { Successful, Failed } = await world.sqs.deleteMessageBatch({
      QueueUrl: queue.url,
      Entries: [
        { Id: "bad", ReceiptHandle: "nonsense" },
        { Id: "good", ReceiptHandle },
        { Id: "none", ReceiptHandle: undefined },
      ],
    });
    assert.deepEqual(Successful, [{ Id: "good" }]);
    const text = 'The input receipt handle "nonsense" is not a valid receipt handle.';
    assert.deepEqual(Failed?.[0], { Id: "bad", Code: "ReceiptHandleIsInvalid", SenderFault: true, Message: text });
    assert.equal(Failed?.[1]?.Code, "MissingParameter");
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("visibility changes of a batch succeed and fail alone", async (world) => {
    const queue = await world.queue();
    await queue.send("m");
    const { ReceiptHandle } = await queue.receiveOne();
    const { Successful, Failed } = await world.sqs.changeMessageVisibilityBatch({
      QueueUrl: queue.url,
      Entries: [
        { Id: "long", ReceiptHandle, VisibilityTimeout: 43_201 },
        { Id: "bad", ReceiptHandle: "nonsense", VisibilityTimeout: 1 },
        { Id: "good", ReceiptHandle, VisibilityTimeout: 0 },
      ],
    });
    assert.deepEqual(Successful, [{ Id: "good" }]);
    const range =
      "Value 43201 for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200.";
    assert.deepEqual(Failed, [
      { Id: "long", Code: "InvalidParameterValue", SenderFault: true, Message: range },
      {
        Id: "bad",
        Code: "ReceiptHandleIsInvalid",
        SenderFault: true,
        Message: 'The input receipt handle "nonsense" is not a valid receipt handle.',
      },
    ]);
    assert.equal(await queue.counts(), "1/0/0");
  });
});
