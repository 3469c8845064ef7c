import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { assertRefused, scenarios } from "../world.ts";

const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const NEEDS_DEDUPLICATION =
  "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly";

function badId(value: string, parameter: string): string {
  return `Value ${value} for parameter ${parameter} is invalid. Reason: ${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
}

scenarios("fifo send", (scenario) => {
  scenario("a FIFO send needs a message group", async (world) => {
    const queue = await world.fifo();
    const text = "The request must contain the parameter MessageGroupId.";
    await assertRefused(queue.send("m"), "MissingParameter", text);
    const batch = queue.sendBatch([
      { Id: "a", MessageBody: "m", MessageGroupId: "g" },
      { Id: "b", MessageBody: "n" },
    ]);
    await assertRefused(batch, "InvalidParameterValue", text);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("a FIFO send needs a deduplication id where content does not give one", async (world) => {
    const queue = await world.fifo({ ContentBasedDeduplication: "false" });
    await assertRefused(queue.sendTo("g", "m"), "InvalidParameterValue", NEEDS_DEDUPLICATION);
    const batch = queue.sendBatch([
      { Id: "a", MessageBody: "m", MessageGroupId: "g", MessageDeduplicationId: "d" },
      { Id: "b", MessageBody: "n", MessageGroupId: "g" },
    ]);
    await assertRefused(batch, "InvalidParameterValue", NEEDS_DEDUPLICATION);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("ids have 1 to 128 letters, digits and punctuation characters, on both kinds of queue", async (world) => {
    const fifo = await world.fifo();
    const longest = PUNCTUATION.padEnd(128, "Az09");
    await fifo.sendTo(longest, "m", { MessageDeduplicationId: longest });
    const { Attributes } = await fifo.receiveOne();
    assert.equal(Attributes?.MessageGroupId, longest);
    assert.equal(Attributes?.MessageDeduplicationId, longest);
    const standard = await world.queue();
    for (const bad of ["", "has space", "ümlaut", "x".repeat(129), "tab\t"]) {
      await assertRefused(fifo.sendTo(bad, "m"), "InvalidParameterValue", badId(bad, "MessageGroupId"));
      await assertRefused(standard.sendTo(bad, "m"), "InvalidParameterValue", badId(bad, "MessageGroupId"));
      const MessageDeduplicationId = bad;
      const text = badId(bad, "MessageDeduplicationId");
      await assertRefused(fifo.sendTo("g", "m", { MessageDeduplicationId }), "InvalidParameterValue", text);
    }
  });

  scenario("a standard queue takes no deduplication id", async (world) => {
    const queue = await world.queue();
    const send = queue.send("m", { MessageDeduplicationId: "d" });
    await assertRefused(send, "InvalidParameterValue", /^Value d for parameter MessageDeduplicationId is invalid\./);
  });

  scenario("sequence numbers have 20 digits and only grow", async (world) => {
    const queue = await world.fifo();
    const numbers: string[] = [];
    for (let n = 0; n < 3; n++) numbers.push((await queue.sendTo(`g${n}`, `m${n}`)).SequenceNumber ?? "");
    const { Successful = [] } = await queue.sendBatch(
      ["x", "y"].map((Id) => ({ Id, MessageBody: Id, MessageGroupId: "g0" })),
    );
    numbers.push(...Successful.map(({ SequenceNumber = "" }) => SequenceNumber));
    for (const number of numbers) assert.match(number, /^\d{20}$/);
    assert.deepEqual(numbers.toSorted(), numbers);
    assert.equal(new Set(numbers).size, 5);
    const received = await queue.receive({ MessageSystemAttributeNames: ["SequenceNumber"] });
    const seen = received.map(({ Attributes }) => Attributes?.SequenceNumber ?? "");
    assert.deepEqual(seen.toSorted(), numbers);
  });

  scenario("a receive tells group, deduplication id and sequence number", async (world) => {
    const queue = await world.fifo();
    const sent = await queue.sendTo("g", "body");
    const { Attributes } = await queue.receiveOne();
    assert.equal(Attributes?.MessageGroupId, "g");
    assert.equal(Attributes?.SequenceNumber, sent.SequenceNumber);
    assert.equal(Attributes?.MessageDeduplicationId, createHash("sha256").update("body").digest("hex"));
    assert.equal(Object.keys(Attributes ?? {}).length, 7);
  });

  scenario("a FIFO message has no delay of its own", async (world) => {
    const queue = await world.fifo();
    const reason = "The request include parameter that is not valid for this queue type.";
    const text = `Value 5 for parameter DelaySeconds is invalid. Reason: ${reason}`;
    await assertRefused(queue.sendTo("g", "m", { DelaySeconds: 5 }), "InvalidParameterValue", text);
    await queue.sendTo("g", "m", { DelaySeconds: 0 });
    assert.equal(await queue.counts(), "1/0/0");
  });

  scenario("an explicit delay of 0 does not cancel a FIFO queue's own", async (world) => {
    const queue = await world.fifo({ DelaySeconds: "3" });
    await queue.sendTo("g", "m", { DelaySeconds: 0 });
    assert.equal(await queue.counts(), "0/0/1");
    assert.deepEqual(await queue.receive(), []);
    await world.advance(3);
    assert.deepEqual(await queue.receiveBodies(), ["m"]);
  });

  scenario("a failed entry of a FIFO batch does not stop later ones of its group", async (world) => {
    const queue = await world.fifo({ MaximumMessageSize: "1024" });
    const { Failed, Successful } = await queue.sendBatch([
      { Id: "a", MessageBody: "1", MessageGroupId: "g" },
      { Id: "b", MessageBody: "x".repeat(1025), MessageGroupId: "g" },
      { Id: "c", MessageBody: "3", MessageGroupId: "g" },
    ]);
    assert.equal(Failed?.[0]?.Id, "b");
    assert.equal(Successful?.length, 2);
    assert.deepEqual(await queue.receiveBodies(), ["1", "3"]);
  });
});
