// What an operator relies on: one process per folder, a stop that loses nothing, and damage that is named.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LeanClient } from "../support/lean-client.ts";
import { scratchFolder } from "../support/project.ts";
import { runMillpond, type ServerProcess, startServe } from "../support/server-process.ts";
import { queueUrl } from "./world.ts";

const DATA_FOLDER_EXIT = 3;

test("a second server on one folder is refused with the first one's address, until that one is gone", async (context) => {
  const data = join(scratchFolder(context, "two"), "data");
  const first = startServe(["--data", data]);
  context.after(() => first.signal("SIGKILL"));
  const endpoint = await first.ready;

  const second = await startServe(["--data", data]).ended;
  assert.equal(second.code, DATA_FOLDER_EXIT);
  assert.match(second.stderr, new RegExp(`in use by process ${first.pid}, which serves ${endpoint}`));

  const client = new LeanClient(endpoint);
  context.after(() => client.close());
  await client.call("CreateQueue", { QueueName: "still-serving" });

  await first.signal("SIGKILL");
  const third = startServe(["--data", data]);
  context.after(() => third.signal("SIGKILL"));
  const successor = new LeanClient(await third.ready);
  context.after(() => successor.close());
  await successor.call("GetQueueUrl", { QueueName: "still-serving" });
});

test("SIGTERM answers waiting receives, refuses new connections and exits 0 with everything kept", async (context) => {
  const data = join(scratchFolder(context, "drain"), "data");
  const server = startServe(["--data", data]);
  context.after(() => server.signal("SIGKILL"));
  const endpoint = await server.ready;
  const waiting = new LeanClient(endpoint);
  const sending = new LeanClient(endpoint);
  context.after(() => [waiting, sending].forEach((client) => void client.close()));
  for (const QueueName of ["empty", "filled"]) await sending.call("CreateQueue", { QueueName });

  const poll = waiting.call("ReceiveMessage", { QueueUrl: queueUrl("empty"), WaitTimeSeconds: 20 });
  const { MessageId } = await sending.call("SendMessage", { QueueUrl: queueUrl("filled"), MessageBody: "kept" });
  const askedAtMs = performance.now();
  const ended = server.signal("SIGTERM");
  assert.deepEqual(await poll, {});
  assert.ok(performance.now() - askedAtMs < 5000, "the long poll was answered at once");
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  await assert.rejects(new LeanClient(endpoint).call("ListQueues", {}));

  const next = startServe(["--data", data]);
  context.after(() => next.signal("SIGKILL"));
  const client = new LeanClient(await next.ready);
  context.after(() => client.close());
  const { Messages } = await client.call("ReceiveMessage", { QueueUrl: queueUrl("filled") });
  assert.equal(Messages[0].MessageId, MessageId);
});

for (const { ending, end } of [
  { ending: "a clean stop", end: (server: ServerProcess) => server.signal("SIGTERM") },
  { ending: "a kill", end: (server: ServerProcess) => server.signal("SIGKILL") },
]) {
  test(`a changed byte in the middle of the log is named, and keeps the server from starting, after ${ending}`, async (context) => {
    const data = join(scratchFolder(context, "damage"), "data");
    const server = startServe(["--data", data]);
    context.after(() => server.signal("SIGKILL"));
    const client = new LeanClient(await server.ready);
    await client.call("CreateQueue", { QueueName: "damaged" });
    for (let index = 0; index < 100; index++) {
      await client.call("SendMessage", { QueueUrl: queueUrl("damaged"), MessageBody: `needle-${index}-in-the-log` });
    }
    client.close();
    await end(server);
    const intact = await runMillpond(["log", "verify", "--data", data]).ended;
    assert.equal(intact.code, 0, intact.stderr);

    const { path, position } = findInLog(data, "needle-50-in-the-log");
    const bytes = readFileSync(path);
    bytes[position] = (bytes[position] as number) ^ 1;
    writeFileSync(path, bytes);

    const started = await startServe(["--data", data]).ended;
    assert.equal(started.code, DATA_FOLDER_EXIT, started.stderr);
    const verified = await runMillpond(["log", "verify", "--data", data]).ended;
    assert.equal(verified.code, DATA_FOLDER_EXIT, verified.stderr);
    for (const { stderr } of [started, verified]) {
      const named = /^(?:Error:)? *(\S+) is damaged at byte (\d+): .+\.$/m.exec(stderr);
      assert.equal(named?.[1], path, stderr);
      const offBy = position - Number(named?.[2]);
      assert.ok(
        offBy >= 0 && offBy < 512,
        `byte ${named?.[2]} should be where the entry around byte ${position} begins`,
      );
    }
  });
}

test("a folder that holds something else is left alone", async (context) => {
  const data = join(scratchFolder(context, "foreign"), "photos");
  mkdirSync(data);
  writeFileSync(join(data, "holiday.jpg"), "not a queue");
  const { code, stderr } = await startServe(["--data", data]).ended;
  assert.equal(code, DATA_FOLDER_EXIT, stderr);
  assert.match(stderr, /was not made by Millpond/);
  assert.deepEqual(readdirSync(data), ["holiday.jpg"]);
});

function findInLog(data: string, needle: string): { path: string; position: number } {
  for (const name of readdirSync(data, { recursive: true, encoding: "utf8" })) {
    const path = join(data, name);
    if (!name.endsWith(".mpl") || !existsSync(path)) continue;
    const position = readFileSync(path).indexOf(needle);
    if (position >= 0) return { path, position };
  }
  throw new Error(`"${needle}" is not in the log`);
}
