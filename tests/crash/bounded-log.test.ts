// A queue that sends and deletes for ever keeps its folder small, also when a message here and there stays: those few
// would each hold a whole segment if nobody moved them.

import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LeanClient } from "../support/lean-client.ts";
import { scratchFolder } from "../support/project.ts";
import { startServe } from "../support/server-process.ts";
import { md5 } from "./books.ts";
import { sendBatch } from "./standard-traffic.ts";
import { queueUrl } from "./world.ts";

const MiB = 1024 * 1024;
const BODY_BYTES = 100_000;
const ROUNDS = 600;
const FOLDER_BYTES_MAX = 400 * MiB;
const QueueUrl = queueUrl("through");
const StayingUrl = queueUrl("staying");

test("600 MB through a queue leave the folder bounded, and what stays is kept", async (context) => {
  const data = join(scratchFolder(context, "bounded"), "data");
  const args = ["--data", data, "--segment-bytes-max", "16MiB", "--log-level", "warn"];
  let server = startServe(args);
  context.after(() => server.signal("SIGKILL"));
  let client = new LeanClient(await server.ready);
  for (const QueueName of ["through", "staying"]) await client.call("CreateQueue", { QueueName });

  const staying = new Map<string, string>();
  let mostBytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await sendBatch(
      client,
      QueueUrl,
      Array.from({ length: 10 }, (_, index) => ({ MessageBody: `${round}.${index} `.padEnd(BODY_BYTES, "y") })),
    );
    const stays = `stays ${round} `.padEnd(1000, "z");
    const { MessageId } = await client.call("SendMessage", { QueueUrl: StayingUrl, MessageBody: stays });
    staying.set(MessageId, md5(stays));
    await receiveAndDelete(client);
    if (round % 10 === 0) mostBytes = Math.max(mostBytes, folderBytes(data));
  }
  client.close();
  const { stderr, code } = await server.signal("SIGTERM");
  assert.equal(code, 0, stderr);
  const bytesAtEnd = folderBytes(data);
  console.log(
    `${(ROUNDS * 10 * BODY_BYTES) / 1e6} MB sent; the folder held at most ${toMiB(mostBytes)} MiB, ${toMiB(bytesAtEnd)} MiB at the end`,
  );
  assert.ok(mostBytes < FOLDER_BYTES_MAX, `the folder grew to ${toMiB(mostBytes)} MiB`);

  server = startServe(args);
  client = new LeanClient(await server.ready);
  for (;;) {
    const { Messages = [] } = await client.call("ReceiveMessage", {
      QueueUrl: StayingUrl,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 600,
    });
    if (Messages.length === 0) break;
    for (const { MessageId, Body } of Messages) {
      assert.equal(staying.get(MessageId), md5(Body));
      staying.delete(MessageId);
    }
  }
  assert.equal(staying.size, 0, `${staying.size} messages that should have stayed are gone`);
  client.close();
});

async function receiveAndDelete(client: LeanClient): Promise<void> {
  const { Messages } = await client.call("ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 10 });
  const Entries = Messages.map(({ ReceiptHandle }: { ReceiptHandle: string }, index: number) => ({
    Id: String(index),
    ReceiptHandle,
  }));
  assert.equal(Entries.length, 10);
  await client.call("DeleteMessageBatch", { QueueUrl, Entries });
}

function folderBytes(folder: string): number {
  let sum = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    // A file may go while we look.
    sum += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return sum;
}

function toMiB(bytes: number): number {
  return Math.round(bytes / MiB);
}
