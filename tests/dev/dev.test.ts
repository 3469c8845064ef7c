// millpond dev with the example's worker: a poison payment ends in the dead-letter queue, good ones are charged once, and
// changes of the code and of the config are followed. Time stands while functions run, so a slow machine charges nobody twice.

import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type DevReporter, runDev, type Status } from "../../src/dev/index.ts";
import type { RunningServer } from "../../src/server/index.ts";
import { VERSION } from "../../src/server/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { projectRoot, scratchFolder } from "../support/project.ts";
import { runMillpond } from "../support/server-process.ts";

const EXAMPLE = join(projectRoot, "examples", "payments-dev");
const SCOPE = { account: "000000000000", region: "us-east-1" };
const START_MS = Date.UTC(2026, 0, 1);
const PATIENCE_MS = 30_000;

class Scene implements DevReporter {
  readonly folder: string;
  readonly clock = new VirtualClock(START_MS);
  readonly interruption = new AbortController();
  readonly told: string[] = [];
  printed: string[] = [];
  statuses: Status[] = [];
  ended: Promise<void> = Promise.resolve();
  #server: RunningServer | undefined;

  constructor(folder: string) {
    this.folder = folder;
    cpSync(EXAMPLE, folder, { recursive: true });
  }

  get server(): RunningServer {
    assert.ok(this.#server !== undefined, "it has not started");
    return this.#server;
  }

  async start(flags: Record<string, string | boolean> = {}): Promise<void> {
    this.ended = runDev({
      path: join(this.folder, "millpond.config.json"),
      flags: { port: "0", ...flags },
      environment: {},
      log: () => {},
      reporter: this,
      parts: { clock: this.clock },
      interrupted: this.interruption.signal,
    });
    this.ended.catch(() => {});
    await Promise.race([this.until("it started", () => this.#server !== undefined), this.ended]);
    this.clock.settleWith(() => this.server.queues.settle());
  }

  async stop(): Promise<void> {
    this.interruption.abort();
    await this.ended;
  }

  onStarted(server: RunningServer, changes: { what: string; name: string; how: string }[]): void {
    this.#server = server;
    this.onReloaded(changes, []);
  }

  onReloaded(changes: { what: string; name: string; how: string }[], left: string[]): void {
    this.told.push(...changes.map(({ how, what, name }) => `${how} ${what} ${name}`));
    this.told.push(...left.map((name) => `left ${name}`));
  }

  onMistakes(message: string): void {
    this.told.push(`mistakes ${message}`);
  }

  onFunctionReloaded(name: string): void {
    this.told.push(`reloaded ${name}`);
  }

  onPrinted(_name: string, _atMs: number, text: string): void {
    const [line = ""] = /p-\d+ .*$/.exec(text) ?? [];
    if (line !== "") this.printed.push(line);
  }

  onStatus(statuses: Status[]): void {
    this.statuses = statuses;
  }

  async send(...bodies: object[]): Promise<void> {
    for (const body of bodies) {
      const response = await fetch(this.server.endpoint, {
        method: "POST",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.SendMessage" },
        body: JSON.stringify({
          QueueUrl: `${this.server.endpoint}/${SCOPE.account}/payments`,
          MessageBody: JSON.stringify(body),
        }),
      });
      assert.equal(response.status, 200);
    }
  }

  count(what: string, name: string): Record<string, unknown> {
    const found = this.statuses.find((status) => status.is === what && status.name === name);
    return { ...found };
  }

  edit(file: string, change: (text: string) => string): void {
    const path = join(this.folder, file);
    const before = readFileSync(path, "utf8");
    const after = change(before);
    assert.notEqual(after, before, "the edit changes nothing");
    writeFileSync(path, after);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      if (performance.now() > endMs) {
        assert.fail(`never: ${what}; told ${this.told.join(" | ")}; printed ${this.printed.join(" | ")}`);
      }
      await sleep(10);
    }
  }
}

async function live(context: TestContext, run: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = new Scene(scratchFolder(context, "dev"));
  try {
    await scene.start();
    await run(scene);
  } finally {
    await scene.stop();
  }
}

test("a poison payment ends in the dead-letter queue after three tries, and the good ones are charged once", async (context) => {
  await live(context, async (scene) => {
    assert.deepEqual(scene.told, [
      "created queue payments",
      "created queue payments-failed",
      "created function charge",
      "created mapping payments to charge",
    ]);
    await scene.send({ id: "p-1", amount: 10 }, { id: "p-2", amount: -1 }, { id: "p-3", amount: 30 });
    const tries = () => scene.printed.filter((line) => line.startsWith("p-2 failed")).length;
    for (let attempt = 1; attempt <= 3; attempt++) {
      await scene.until(`try ${attempt} of the poison`, () => tries() === attempt);
      await scene.until("its batch is settled", () => scene.count("function", "charge")["running"] === 0);
      await scene.clock.advance(2000);
    }
    await scene.until("it is in the dead-letter queue", () => scene.count("queue", "payments-failed")["waiting"] === 1);
    assert.equal(tries(), 3);
    assert.deepEqual(scene.printed.filter((line) => line.includes("charged")).sort(), [
      "p-1 charged: 10 EUR",
      "p-3 charged: 30 EUR",
    ]);
    assert.equal(scene.count("function", "charge")["messagesFailed"], 3);
    const dead = await scene.server.queues.inspect({ ...SCOPE, name: "payments-failed" });
    assert.equal(Buffer.from(dead?.[0]?.content.body ?? []).toString(), '{"id":"p-2","amount":-1}');
    const { waiting, inFlight } = scene.count("queue", "payments");
    assert.deepEqual({ waiting, inFlight }, { waiting: 0, inFlight: 0 });
  });
});

test("a changed file is the next payment's function, and a changed config is carried out", async (context) => {
  await live(context, async (scene) => {
    await scene.send({ id: "p-1", amount: 10 });
    await scene.until("the old code", () => scene.printed.includes("p-1 charged: 10 EUR"));

    scene.edit("functions/charge.mjs", (text) => text.replace("charged: ", "debited: "));
    await scene.until("the code is loaded anew", () => scene.told.includes("reloaded charge"));
    await scene.send({ id: "p-2", amount: 20 });
    await scene.until("the new code", () => scene.printed.includes("p-2 debited: 20 EUR"));

    scene.edit("millpond.config.json", (text) =>
      text.replace('"queues": {', '"queues": { "refunds": {},').replace('"EUR"', '"CHF"'),
    );
    await scene.until("a queue more", () => scene.told.includes("created queue refunds"));
    await scene.until("another environment", () => scene.told.includes("updated function charge"));
    await scene.send({ id: "p-3", amount: 30 });
    await scene.until("the new environment", () => scene.printed.includes("p-3 debited: 30 CHF"));

    scene.edit("millpond.config.json", (text) => text.replace('"refunds": {}', '"refunds": { "delay": "2 days" }'));
    await scene.until("the mistake is told", () => scene.told.some((line) => line.startsWith("mistakes")));
    assert.match(scene.told.at(-1) ?? "", /millpond\.config\.json:3: queues\.refunds\.delay is "2 days", and takes/);
    await scene.send({ id: "p-4", amount: 40 });
    await scene.until("what there was goes on", () => scene.printed.includes("p-4 debited: 40 CHF"));

    scene.edit("millpond.config.json", (text) => text.replace('"refunds": { "delay": "2 days" },', ""));
    await scene.until("the queue is let alone", () => scene.told.includes("left queue refunds"));
    assert.ok(scene.server.queues.queues().some(({ name }) => name === "refunds"));
  });
});

test("a function behind a URL gets the queue's messages, and its answer decides about them", async (context) => {
  const bodies: string[] = [];
  const service = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { Records } = JSON.parse(Buffer.concat(parts).toString()) as { Records: { body: string }[] };
      bodies.push(`${request.url} ${Records.map(({ body }) => body).join()}`);
      response.end('{"batchItemFailures":[]}');
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const scene = new Scene(scratchFolder(context, "dev"));
  scene.edit("millpond.config.json", () =>
    JSON.stringify({
      queues: { payments: {} },
      functions: { notify: { url: `http://127.0.0.1:${port}/events` } },
      mappings: [{ queue: "payments", function: "notify", partialFailures: true }],
    }),
  );
  try {
    await scene.start();
    await scene.send({ id: "p-1" });
    await scene.until("it is called", () => bodies.length === 1);
    await scene.until("the message is deleted", () => scene.count("queue", "payments")["inFlight"] === 0);
    assert.deepEqual(bodies, ['/events {"id":"p-1"}']);

    scene.edit("millpond.config.json", (text) => text.replace(/"mappings":\[.*\]/, '"mappings":[]'));
    await scene.until("the mapping is off", () => scene.told.includes("switched off mapping payments to notify"));
    await scene.send({ id: "p-2" });
    await scene.until("the message waits", () => scene.count("queue", "payments")["waiting"] === 1);
    assert.equal(bodies.length, 1);
  } finally {
    await scene.stop();
    service.closeAllConnections();
    service.close();
  }
});

test("in a data folder everything is still there at the next start, and nothing is made again", async (context) => {
  const folder = scratchFolder(context, "dev");
  const data = join(folder, "data");
  const first = new Scene(folder);
  await first.start({ data });
  await first.stop();
  const second = new Scene(folder);
  await second.start({ data });
  assert.deepEqual(second.told, []);
  await second.send({ id: "p-1", amount: 10 });
  await second.until("it is charged", () => second.printed.includes("p-1 charged: 10 EUR"));
  await second.stop();
});

test("the command starts, shows a line for each change when piped, and stops cleanly", async (context) => {
  const folder = scratchFolder(context, "dev");
  cpSync(EXAMPLE, folder, { recursive: true });
  const { child, ended } = runMillpond(["dev", "--port", "0", "--config", join(folder, "millpond.config.json")]);
  let out = "";
  child.stdout?.on("data", (text) => {
    out += String(text);
  });
  const endMs = performance.now() + PATIENCE_MS;
  while (!out.includes("queue     payments-failed  0 waiting, 0 in flight") && performance.now() < endMs)
    await sleep(20);
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith(`Millpond ${VERSION}`));
  for (const line of ["created queue payments", "created mapping payments to charge", "0 calls, 0 failed, 0 running"]) {
    assert.ok(stdout.includes(line), `${line} in ${stdout}`);
  }
  assert.equal(stderr, "");
});

test("a config with mistakes starts nothing", async (context) => {
  const scene = new Scene(scratchFolder(context, "dev"));
  scene.edit("millpond.config.json", (text) => text.replace('"visibility": "2s"', '"visibility": 2.5'));
  await assert.rejects(scene.start(), /:5: queues\.payments\.visibility is 2\.5, and takes whole seconds/);
  const other = new Scene(scratchFolder(context, "dev"));
  await assert.rejects(other.start({ port: "none" }), /Flag --port is "none"/);
});
