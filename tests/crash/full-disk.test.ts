// A disk that fills up: sends are refused in words, consumers go on, a kill in that state loses nothing, and sends go
// on once there is room. The disk is a small tmpfs, which takes root to mount.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { LeanClient } from "../support/lean-client.ts";
import { type ServerProcess, startServe } from "../support/server-process.ts";
import { md5 } from "./books.ts";
import { queueUrl, sleep } from "./world.ts";

const MiB = 1024 * 1024;
const DISK_BYTES = 128 * MiB;
const OTHER_FILE_BYTES = 60 * MiB;
const SENDS_MAX = 2000;
const RESUME_MS_MAX = 20_000;
const QueueUrl = queueUrl("backlog");

test("a full disk refuses sends, lets consumers go on, loses nothing, and recovers when there is room", async (context) => {
  const disk = mountSmallDisk(context);
  if (disk === undefined) return;
  const otherFile = join(disk, "other");
  writeFileSync(otherFile, Buffer.alloc(OTHER_FILE_BYTES, 1));
  const args = ["--data", join(disk, "data"), "--segment-bytes-max", "16MiB", "--log-level", "error"];
  const kept = new Map<string, string>();
  let server = startServe(args);
  context.after(() => server.signal("SIGKILL"));
  let client = new LeanClient(await server.ready);
  await client.call("CreateQueue", { QueueName: "backlog" });

  const refused = await sendUntilRefused(client, kept);
  assert.equal(refused.status, 503);
  assert.equal(refused.body.__type, "com.amazon.coral.service#ServiceUnavailable");
  assert.match(refused.body.message, /disk.*full.*free some space/is);
  for (let attempt = 0; attempt < 20; attempt++) await sendOne(client, kept);

  await consume(client, kept, 30);

  client.close();
  await server.signal("SIGKILL");
  server = await startOnFullDisk(args);
  client = new LeanClient(await server.ready);
  await consume(client, kept, 30);
  await sendOne(client, kept);

  rmSync(otherFile);
  const fromMs = performance.now();
  while ((await sendOne(client, kept)).status !== 200) {
    assert.ok(performance.now() - fromMs < RESUME_MS_MAX, "sends go on once there is room");
    await sleep(100);
  }
  console.log(`sends went on ${Math.round(performance.now() - fromMs)} ms after there was room`);
  for (let more = 0; more < 50; more++) assert.equal((await sendOne(client, kept)).status, 200);

  client.close();
  await server.signal("SIGKILL");
  server = startServe(args);
  client = new LeanClient(await server.ready);
  await consume(client, kept, Number.POSITIVE_INFINITY);
  assert.equal(kept.size, 0, `${kept.size} acknowledged messages are gone`);
  client.close();
});

function mountSmallDisk(context: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "millpond-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    context.skip(`SKIPPED: a small tmpfs cannot be mounted here (${String((error as Error).message).trim()}).`);
    return undefined;
  }
  context.after(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Sends a message; books it when it was acknowledged. A refusal must be the honest one. */
async function sendOne(client: LeanClient, kept: Map<string, string>, bytes = 100_000) {
  const MessageBody = `${kept.size} ${Math.random()} `.padEnd(bytes, "x");
  const answer = await client.ask("SendMessage", { QueueUrl, MessageBody });
  if (answer.status === 200) kept.set(answer.body.MessageId, md5(MessageBody));
  else assert.equal(answer.status, 503, JSON.stringify(answer.body));
  return answer;
}

async function sendUntilRefused(client: LeanClient, kept: Map<string, string>) {
  for (let sends = 0; sends < SENDS_MAX; sends++) {
    const answer = await sendOne(client, kept);
    if (answer.status !== 200) return answer;
  }
  throw new Error("the disk never became full");
}

/** Receives and deletes up to `count`, holding each against the books. */
async function consume(client: LeanClient, kept: Map<string, string>, count: number): Promise<void> {
  for (let consumed = 0; consumed < count; ) {
    const { Messages = [] } = await client.call("ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 10 });
    if (Messages.length === 0) {
      assert.equal(count, Number.POSITIVE_INFINITY, `there were only ${consumed} messages`);
      return;
    }
    for (const { MessageId, Body, ReceiptHandle } of Messages) {
      assert.equal(kept.get(MessageId), md5(Body), `message ${MessageId} is one that was acknowledged and not deleted`);
      await client.call("DeleteMessage", { QueueUrl, ReceiptHandle });
      kept.delete(MessageId);
      consumed += 1;
    }
  }
}

async function startOnFullDisk(args: string[]): Promise<ServerProcess> {
  const { bavail, bsize } = statfsSync(args[1] as string);
  console.log(`restarting with ${bavail * bsize} bytes free`);
  const server = startServe(args);
  await server.ready;
  return server;
}
