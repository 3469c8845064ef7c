// The installed program with front processes: they are killed under load, and the main process is.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ConnectionLost, LeanClient } from "../support/lean-client.ts";
import { scratchFolder } from "../support/project.ts";
import { startServe } from "../support/server-process.ts";
import { queueUrl, sleep } from "./world.ts";

const KILLS = 5;
const SENDERS = 8;
const SENDS_BETWEEN_KILLS = 200;
const PATIENCE_MS = 30_000;

/** None when it was asked through one that has just been killed. */
async function frontPids(endpoint: string): Promise<number[]> {
  try {
    const response = await fetch(`${endpoint}/_millpond/status`, { headers: { connection: "close" } });
    return ((await response.json()) as { frontPids: number[] }).frontPids;
  } catch {
    return [];
  }
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const fromMs = performance.now();
  while (!(await isSo())) {
    assert.ok(performance.now() - fromMs < PATIENCE_MS, `${what} did not come true`);
    await sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test(`no acknowledged message is lost when front processes are killed ${KILLS} times, and a stop is clean`, async (context) => {
  const data = join(scratchFolder(context, "fronts"), "data");
  const server = startServe(["--workers", "2", "--data", data]);
  context.after(() => server.signal("SIGKILL"));
  const endpoint = await server.ready;
  const QueueUrl = queueUrl("orders");
  const acknowledged = new Set<string>();
  let isOver = false;
  await new LeanClient(endpoint).call("CreateQueue", { QueueName: "orders" });
  const sender = async (name: number) => {
    let client = new LeanClient(endpoint);
    for (let index = 0; !isOver; index++) {
      const MessageBody = `${name}-${index}`;
      try {
        await client.call("SendMessage", { QueueUrl, MessageBody });
        acknowledged.add(MessageBody);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        client = new LeanClient(endpoint);
      }
    }
    client.close();
  };
  const senders = Promise.all(Array.from({ length: SENDERS }, (_, name) => sender(name)));
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = acknowledged.size + SENDS_BETWEEN_KILLS;
    await until("messages are sent", () => acknowledged.size >= enough);
    const pids: number[] = [];
    await until("there is one to kill", async () => pids.push(...(await frontPids(endpoint))) > 0);
    process.kill(pids[0] as number, "SIGKILL");
  }
  await until("both are there again", async () => (await frontPids(endpoint)).filter(isAlive).length === 2);
  isOver = true;
  await senders;
  const client = new LeanClient(endpoint);
  const lost = new Set(acknowledged);
  for (;;) {
    const { Messages = [] } = await client.call("ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 10 });
    if (Messages.length === 0) break;
    for (const { Body } of Messages as { Body: string }[]) lost.delete(Body);
  }
  assert.deepEqual([...lost], []);
  client.close();
  const pids = await frontPids(endpoint);
  const { code, stderr } = await server.signal("SIGTERM");
  assert.equal(code, 0, stderr);
  assert.equal(stderr.match(/A front process ended/g)?.length, KILLS, stderr);
  assert.deepEqual(pids.filter(isAlive), []);
});

test("front processes end when the main process is killed", async (context) => {
  const server = startServe(["--workers", "2", "--memory"]);
  context.after(() => server.signal("SIGKILL"));
  const pids = await frontPids(await server.ready);
  assert.equal(pids.filter(isAlive).length, 2);
  process.kill(server.pid, "SIGKILL");
  await until("none is left", () => !pids.some(isAlive));
});
