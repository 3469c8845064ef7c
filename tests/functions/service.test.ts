// Functions of a whole server: what a restart keeps, what an invocation may take, what is cleaned up.

import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { FunctionCommand } from "../../src/engine/index.ts";
import type { RunningServer } from "../../src/server/index.ts";
import { startServer } from "../../src/server/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { scratchFolder } from "../support/project.ts";
import { makeZip } from "./make-zip.ts";

const START_MS = Date.UTC(2026, 0, 1);
const SCOPE = { account: "000000000000", region: "us-east-1" };
const QUEUE = { ...SCOPE, name: "told" };

interface Life {
  server: RunningServer;
  clock: VirtualClock;
}

/** One life of a server over a data folder; the clock is where the last one left it. */
async function live(data: string, nowMs: number, run: (life: Life) => Promise<void>, shards = 1): Promise<number> {
  const clock = new VirtualClock(nowMs);
  const server = await startServer({ port: 0, data, shards, clock });
  clock.settleWith(() => server.queues.settle());
  try {
    await run({ server, clock });
    return clock.nowMs();
  } finally {
    await server.stop();
  }
}

function zipOf(source: string): Buffer {
  return makeZip([{ path: "index.mjs", text: source }]);
}

function creation(
  name: string,
  source: string,
  settings: object = {},
): Extract<FunctionCommand, { kind: "createFunction" }> {
  return {
    kind: "createFunction",
    function: { ...SCOPE, name },
    zip: zipOf(source),
    settings: {
      runtime: "nodejs20.x",
      handler: "index.handler",
      role: "arn:aws:iam::000000000000:role/functions",
      description: "",
      environment: {},
      timeoutMs: 10_000,
      memoryMb: 128,
      architecture: "x86_64",
      storageMb: 512,
      tracing: "PassThrough",
      ...settings,
    },
    tags: {},
    publish: false,
  };
}

async function create(server: RunningServer, name: string, source: string, settings: object = {}): Promise<void> {
  const outcome = await server.queues.execute(creation(name, source, settings));
  assert.ok(outcome.ok, JSON.stringify(outcome));
}

async function invoke(server: RunningServer, name: string, how: "wait" | "event" = "wait") {
  const outcome = await server.queues.execute({
    kind: "invokeFunction",
    function: { ...SCOPE, name },
    how,
    payload: Buffer.from("{}"),
  });
  assert.ok(outcome.ok, JSON.stringify(outcome));
  const { payload, functionError } = outcome.value;
  return { answer: payload.length === 0 ? undefined : JSON.parse(Buffer.from(payload).toString()), functionError };
}

function folder(context: TestContext): string {
  return join(scratchFolder(context, "function-service"), "data");
}

for (const shards of [1, 4]) {
  test(`functions, their code and what is to be tried again survive a restart (shards: ${shards})`, async (context) => {
    const data = folder(context);
    const fails =
      "export const handler = async () => { if (!process.env.FIXED) throw new Error('no'); return 'fixed'; };";
    const stoppedAtMs = await live(
      data,
      START_MS,
      async ({ server, clock }) => {
        await server.queues.execute({ kind: "createQueue", queue: QUEUE, attributes: {}, tags: {} });
        await create(server, "fixable", fails);
        await server.queues.execute({
          kind: "putEventInvoke",
          function: { ...SCOPE, name: "fixable" },
          config: { onSuccess: `arn:aws:sqs:us-east-1:000000000000:${QUEUE.name}` },
          isUpdate: false,
        });
        await invoke(server, "fixable", "event");
        await clock.advance(30_000);
      },
      shards,
    );
    // Nothing of what is unpacked is trusted after a restart.
    rmSync(join(data, "functions", "unpacked"), { recursive: true });
    await live(
      data,
      stoppedAtMs,
      async ({ server, clock }) => {
        assert.equal((await invoke(server, "fixable")).functionError, "Unhandled");
        const changes = { environment: { FIXED: "1" } };
        const named = { function: { ...SCOPE, name: "fixable" } };
        await server.queues.execute({ kind: "updateFunctionSettings", ...named, changes });
        assert.equal((await invoke(server, "fixable")).answer, "fixed");
        assert.equal((await server.queues.inspect(QUEUE))?.length, 0);
        await clock.advance(30_000);
        const [told] = (await server.queues.inspect(QUEUE)) ?? [];
        const record = JSON.parse(Buffer.from(told?.content.body ?? []).toString());
        assert.equal(record.requestContext.condition, "Success");
        assert.equal(record.responsePayload, "fixed");
      },
      shards,
    );
  });
}

for (const lives of [2, 4]) {
  test(`an event that always fails has no more tries for ${lives - 1} restarts between them`, async (context) => {
    const data = folder(context);
    let nowMs = START_MS;
    let calls = 0;
    let told: { condition: string; approximateInvokeCount: number }[] = [];
    for (let life = 1; life <= lives; life++) {
      nowMs = await live(data, nowMs, async ({ server, clock }) => {
        if (life === 1) {
          await server.queues.execute({ kind: "createQueue", queue: QUEUE, attributes: {}, tags: {} });
          await create(server, "failing", "export const handler = async () => { throw new Error('no'); };");
          await server.queues.execute({
            kind: "putEventInvoke",
            function: { ...SCOPE, name: "failing" },
            config: { onFailure: `arn:aws:sqs:us-east-1:000000000000:${QUEUE.name}` },
            isUpdate: false,
          });
          await invoke(server, "failing", "event");
        }
        await clock.advance(life === lives ? 3_600_000 : 70_000);
        for (const { counts } of await server.functions.list()) calls += counts?.invocations ?? 0;
        const messages = (await server.queues.inspect(QUEUE)) ?? [];
        told = messages.map(({ content }) => JSON.parse(Buffer.from(content.body).toString()).requestContext);
      });
    }
    assert.deepEqual(
      told.map(({ condition, approximateInvokeCount }) => [condition, approximateInvokeCount]),
      [["RetriesExhausted", 3]],
    );
    assert.equal(calls, 3);
  });
}

test("why a message failed in a mapping is known after a restart, and when the mapping is gone", async (context) => {
  const data = folder(context);
  let id = "";
  const stoppedAtMs = await live(data, START_MS, async ({ server, clock }) => {
    await server.queues.execute({ kind: "createQueue", queue: QUEUE, attributes: {}, tags: {} });
    await create(server, "failing", "export const handler = async () => { throw new Error('no'); };");
    const content = { body: Buffer.from("a"), bodyMd5: Buffer.alloc(16), attributes: [] };
    const entries = [{ content, sizeBytes: 1 }];
    await server.queues.execute({ kind: "sendMessages", queue: QUEUE, senderId: "me", batch: false, entries });
    id = (await server.queues.inspect(QUEUE))?.[0]?.messageId ?? "";
    const mapped = await server.queues.execute({
      kind: "createMapping",
      scope: SCOPE,
      eventSourceArn: `arn:aws:sqs:us-east-1:000000000000:${QUEUE.name}`,
      function: { ...SCOPE, name: "failing" },
      functionArn: "arn:aws:lambda:us-east-1:000000000000:function:failing",
      isOn: true,
      given: {},
      tags: {},
    });
    assert.ok(mapped.ok, JSON.stringify(mapped));
    await clock.advance(0);
    for (const endMs = Date.now() + 30_000; server.mappings.reasonOf(id) === undefined && Date.now() < endMs; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const { uuid } = mapped.value as { uuid: string };
    await server.queues.execute({ kind: "deleteMapping", scope: SCOPE, uuid });
  });
  await live(data, stoppedAtMs, async ({ server }) => {
    assert.equal(server.mappings.reasonOf(id)?.reason, "Error: no");
  });
});

test("code that no function refers to any more is gone after the next start", async (context) => {
  const data = folder(context);
  const archives = () => readdirSync(join(data, "functions")).filter((name) => name.endsWith(".zip"));
  await live(data, START_MS, async ({ server }) => {
    await create(server, "kept", "export const handler = async () => 'kept';");
    await create(server, "dropped", "export const handler = async () => 'dropped';");
    await create(server, "twin", "export const handler = async () => 'kept';");
    assert.equal(archives().length, 2, "the same code is kept once");
    await server.queues.execute({ kind: "deleteFunction", function: { ...SCOPE, name: "dropped" } });
    await server.queues.execute({ kind: "deleteFunction", function: { ...SCOPE, name: "twin" } });
  });
  await live(data, START_MS, async ({ server }) => {
    assert.equal((await invoke(server, "kept")).answer, "kept");
    assert.equal(archives().length, 1);
  });
});

test("a server that keeps nothing removes its temporary folder", async () => {
  const before = temporaryFolders();
  const server = await startServer({ port: 0, memory: true });
  await create(server, "echo", "export const handler = async () => 1;");
  const made = temporaryFolders().filter((name) => !before.includes(name));
  assert.equal((await invoke(server, "echo")).answer, 1);
  await server.stop();
  assert.ok(made.length > 0);
  for (const name of made) assert.ok(!existsSync(name) || !temporaryFolders().includes(name));
});

test("a function that takes too long is ended, and the next invocation begins anew", async () => {
  const server = await startServer({ port: 0, memory: true });
  try {
    const source =
      "export const handler = (event) => event.hang === false ? 1 : new Promise(() => setInterval(() => {}, 9));";
    await create(server, "slow", source, { timeoutMs: 1000 });
    const { answer, functionError } = await invoke(server, "slow");
    assert.equal(functionError, "Unhandled");
    assert.equal(answer.errorType, "Sandbox.Timedout");
    assert.match(answer.errorMessage, /^RequestId: .* Error: Task timed out after 1\.00 seconds$/);
  } finally {
    await server.stop();
  }
});

test("a reset forgets functions and their events", async () => {
  const clock = new VirtualClock(START_MS);
  const server = await startServer({ port: 0, memory: true, allowReset: true, clock });
  clock.settleWith(() => server.queues.settle());
  try {
    await create(server, "failing", "export const handler = async () => { throw new Error('no'); };");
    await invoke(server, "failing", "event");
    await clock.advance(0);
    await server.queues.reset();
    const found = await server.queues.execute({ kind: "getFunction", function: { ...SCOPE, name: "failing" } });
    assert.equal(found.ok, false);
    await clock.advance(120_000);
    await create(server, "failing", "export const handler = async () => 'again';");
    assert.equal((await invoke(server, "failing")).answer, "again");
  } finally {
    await server.stop();
  }
});

function temporaryFolders(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith("millpond-functions-"))
    .map((name) => join(tmpdir(), name));
}
