import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";
import { answer, eventually, invoke, isAlive, logOf, openWorld, ran } from "./world.ts";

const clock = new VirtualClock(1_800_000_000_000);
const world = openWorld({ clock, idleKeepMs: 60_000, concurrencyMax: 5 });

/** Says its pid and its edition; waits for a file where it is told to. */
const program = (edition: number) => `import { existsSync, writeFileSync } from "node:fs";
export const handler = async ({ begun, until, log }) => {
  if (log) console.log(log);
  if (begun) writeFileSync(begun, String(process.pid));
  while (until && !existsSync(until)) await new Promise((resolve) => setTimeout(resolve, 5));
  return { pid: process.pid, edition: ${edition} };
};`;

let count = 0;
function newMark(): string {
  count += 1;
  return `${world.folder}/mark-${count}`;
}

const exists = (path: string) => {
  try {
    return readFileSync(path, "utf8").length > 0;
  } catch {
    return false;
  }
};

/** An invocation that has begun and goes on until it is told to end. */
async function hold(running: ReturnType<typeof world.startFile>, options = {}) {
  const [begun, until] = [newMark(), newMark()];
  const outcome = invoke(running, { begun, until, log: "holding" }, options);
  await eventually("the invocation has begun", () => exists(begun));
  const pid = Number(readFileSync(begun, "utf8"));
  return { outcome, pid, end: () => world.write(until.slice(world.folder.length), "now") };
}

test("an invocation is killed at its time limit, with Lambda's error, and the next one starts cold", async () => {
  const running = world.startFile("timeout/index.mjs", program(1), { timeoutMs: 3000 });
  await ran(running);
  const held = await hold(running, { requestId: "slow" });
  await clock.advance(2999);
  assert.ok(isAlive(held.pid));
  await clock.advance(1);
  const outcome = await held.outcome;
  assert.ok(outcome.status === "ran");
  assert.equal(outcome.functionError, "Unhandled");
  assert.deepEqual(answer(outcome), {
    errorType: "Sandbox.Timedout",
    errorMessage: "RequestId: slow Error: Task timed out after 3.00 seconds",
  });
  assert.match(
    logOf(outcome),
    /\tINFO\tholding\n.*slow Task timed out after 3\.00 seconds\nEND RequestId: slow\nREPORT .*Duration: 3000\.00 ms.*\tStatus: timeout\t/,
  );
  await eventually("the process is gone", () => !isAlive(held.pid));
  assert.equal((await ran(running)).coldStart, true);
});

test("a start that takes longer than ten seconds runs on in the invocation's own time", async () => {
  const running = world.startFile(
    "sluggish/index.mjs",
    `import { writeFileSync } from "node:fs";
    writeFileSync(process.env.MARK, "x");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    export const handler = async () => 1;`,
    { timeoutMs: 2000, environment: { MARK: newMark() } },
  );
  const outcome = ran(running);
  await eventually("it loads", () => exists(running.spec.environment["MARK"] as string));
  await clock.advance(11_999);
  assert.equal(running.counts().running, 1);
  await clock.advance(1);
  assert.equal((await outcome).errorType, "Sandbox.Timedout");
});

test("invocations at once have a process each, and over the reserved concurrency they are throttled", async () => {
  const running = world.startFile("reserved/index.mjs", program(1), { reservedConcurrency: 2 });
  const [one, two] = await Promise.all([hold(running), hold(running)]);
  assert.notEqual(one?.pid, two?.pid);
  assert.deepEqual(await invoke(running, {}), {
    status: "throttled",
    reason: "ReservedFunctionConcurrentInvocationLimitExceeded",
  });
  one?.end();
  assert.equal((await one?.outcome)?.status, "ran");
  const third = await ran(running);
  assert.deepEqual([answer(third).pid, third.coldStart], [one?.pid, false], "the process that is free again is used");
  two?.end();
  await two?.outcome;
  assert.deepEqual(
    { ...running.counts(), invocations: undefined },
    { invocations: undefined, errors: 0, throttles: 1, coldStarts: 2, reloads: 0, running: 0, idleProcesses: 2 },
  );
});

test("all functions together share one limit, and reserved concurrency 0 lets nothing run", async () => {
  const running = world.startFile("shared/index.mjs", program(1));
  const held = await Promise.all(Array.from({ length: 5 }, () => hold(running)));
  const other = world.startFile("other/index.mjs", program(1));
  assert.deepEqual(await invoke(other, {}), { status: "throttled", reason: "ConcurrentInvocationLimitExceeded" });
  for (const { end } of held) end();
  await Promise.all(held.map(({ outcome }) => outcome));
  assert.equal((await invoke(other, {})).status, "ran");
  const off = world.startFile("off/index.mjs", program(1), { reservedConcurrency: 0 });
  assert.equal((await invoke(off, {})).status, "throttled");
});

test("an idle process stays for its time and then ends", async () => {
  const running = world.startFile("idle/index.mjs", program(1));
  const { pid } = answer(await ran(running));
  await clock.advance(50_000);
  assert.equal(answer(await ran(running)).pid, pid);
  await clock.advance(59_999);
  assert.equal(running.counts().idleProcesses, 1);
  await clock.advance(1);
  assert.equal(running.counts().idleProcesses, 0);
  await eventually("the process is gone", () => !isAlive(pid));
  assert.equal((await ran(running)).coldStart, true);
});

test("an idle process that dies is noticed, and the next invocation starts another", async () => {
  const running = world.startFile("dies/index.mjs", program(1));
  const { pid } = answer(await ran(running));
  process.kill(pid, "SIGKILL");
  await eventually("it is noticed", () => running.counts().idleProcesses === 0);
  assert.equal((await ran(running)).functionError, undefined);
});

test("a process that hangs up while it waits gets no invocation", async () => {
  world.write("hangs-up/bootstrap", `#!/bin/sh\nexec ${process.execPath} once.mjs\n`, 0o755);
  world.write(
    "hangs-up/once.mjs",
    `const api = "http://" + process.env.AWS_LAMBDA_RUNTIME_API + "/2018-06-01/runtime/invocation/";
    const next = await fetch(api + "next");
    const id = next.headers.get("lambda-runtime-aws-request-id");
    await fetch(api + id + "/response", { method: "POST", body: String(process.pid) });
    await fetch(api + "next", { signal: AbortSignal.timeout(50) }).catch(() => {});
    setInterval(() => {}, 1000);`,
  );
  const code = { form: "folder", folder: `${world.folder}/hangs-up`, runtime: "provided", handler: "x" } as const;
  const running = world.start(code);
  const pid = answer(await ran(running));
  await eventually("it waited", () => running.counts().idleProcesses === 1);
  await eventually("it is not waited for", () => running.counts().idleProcesses === 0);
  const next = await ran(running);
  assert.deepEqual([next.coldStart, next.functionError], [true, undefined]);
  await eventually("it was ended", () => !isAlive(pid));
});

test("a changed file is loaded by everything that begins afterwards, and what runs ends as it began", async () => {
  const path = world.write("reload/index.mjs", program(1));
  const running = world.start({ form: "file", path, handler: "handler", watch: true });
  const held = await hold(running);
  const idlePid = answer(await ran(running)).pid;
  let reloadCount = 0;
  running.onReload(() => reloadCount++);
  world.write("reload/index.mjs", program(2));
  await eventually("the change is noticed", () => reloadCount > 0);
  assert.equal(answer(await ran(running)).edition, 2);
  await eventually("the idle process of the old code is gone", () => !isAlive(idlePid));
  assert.ok(isAlive(held.pid));
  held.end();
  const outcome = await held.outcome;
  assert.ok(outcome.status === "ran");
  assert.equal(answer(outcome).edition, 1);
  await eventually("the busy process of the old code is gone", () => !isAlive(held.pid));
});

test("no invocation is lost while code changes under load", async () => {
  const path = world.write("load/index.mjs", program(0));
  const running = world.start({ form: "file", path, handler: "handler", watch: true });
  const editions = new Set<number>();
  let isDone = false;
  const callers = Array.from({ length: 3 }, async () => {
    let good = 0;
    while (!isDone) {
      const result = await ran(running);
      assert.equal(result.functionError, undefined, Buffer.from(result.payload).toString());
      editions.add(answer(result).edition);
      good += 1;
    }
    return good;
  });
  for (let edition = 1; edition <= 3; edition++) {
    running.replace({ ...running.spec, environment: { EDITION: String(edition) } });
    world.write("load/index.mjs", program(edition));
    await eventually(`edition ${edition} runs`, () => editions.has(edition));
  }
  isDone = true;
  const good = (await Promise.all(callers)).reduce((sum, count) => sum + count, 0);
  assert.ok(good >= 4, `${good} invocations`);
});

test("a caller that gives up is told at once, and what it began goes on to its end", async () => {
  const running = world.startFile("abandon/index.mjs", program(1), { reservedConcurrency: 1 });
  const caller = new AbortController();
  const held = await hold(running, { signal: caller.signal });
  caller.abort();
  assert.deepEqual(await held.outcome, { status: "abandoned" });
  assert.equal(running.counts().running, 1);
  assert.equal((await invoke(running, {})).status, "throttled");
  held.end();
  await eventually("it has ended", () => running.counts().running === 0);
  const early = new AbortController();
  const cold = world.startFile("abandon-early/index.mjs", program(1));
  const mark = newMark();
  const waiting = invoke(cold, { begun: mark }, { signal: early.signal });
  early.abort();
  assert.deepEqual(await waiting, { status: "abandoned" });
  await eventually("its process came for nothing", () => cold.counts().idleProcesses === 1);
  assert.equal(exists(mark), false);
});

test("stopping lets what runs end, cuts off what does not, and leaves no process", async () => {
  const running = world.startFile("stop/index.mjs", program(1));
  const [ends, stays] = await Promise.all([hold(running), hold(running)]);
  const stopped = running.stop(300);
  assert.deepEqual(await invoke(running, {}), { status: "stopped" });
  ends?.end();
  assert.equal((await ends?.outcome)?.status, "ran");
  assert.deepEqual(await stays?.outcome, { status: "stopped" });
  await stopped;
  assert.deepEqual([isAlive(ends?.pid ?? 0), isAlive(stays?.pid ?? 0)], [false, false]);
});
