import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { RunningServer } from "../server/index.ts";
import { startServer } from "../server/index.ts";
import { readProject } from "./read-project.ts";
import type { DeclareWorld } from "./reconcile.ts";
import { reconcile } from "./reconcile.ts";

const SCOPE = { account: "000000000000", region: "us-east-1" };

interface Scene {
  server: RunningServer;
  world: DeclareWorld;
  /** What changed, in words. */
  declare(value: unknown): Promise<string[]>;
}

async function start(test: TestContext): Promise<Scene> {
  const server = await startServer({ port: 0, memory: true });
  test.after(() => server.stop());
  const world = { host: server.queues, scope: SCOPE };
  return {
    server,
    world,
    async declare(value) {
      const { project, problems } = readProject(value, { folder: "/project", isFile: () => true });
      assert.ok(project !== undefined, JSON.stringify(problems));
      return (await reconcile(world, project)).map(({ how, what, name }) => `${how} ${what} ${name}`);
    },
  };
}

async function attributesOf({ server }: Scene, name: string): Promise<Record<string, string>> {
  const queue = { ...SCOPE, name };
  const outcome = await server.queues.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue });
  assert.ok(outcome.ok, name);
  return outcome.value.attributes;
}

const DECLARED = {
  queues: {
    a: { visibility: "2m", delay: "1s", dlq: "b", maxReceives: 3 },
    b: { dlq: "a" },
    "f.fifo": { contentDedup: true, dlq: "g.fifo" },
  },
  topics: {
    t: { subscriptions: [{ queue: "a", raw: true, filter: { kind: ["paid"] } }] },
    "t.fifo": { subscriptions: [{ queue: "f.fifo" }] },
  },
  functions: { charge: { file: "charge.mjs", environment: { A: "1" }, concurrency: 2 } },
  mappings: [{ queue: "a", function: "charge", partialFailures: true, maxConcurrency: 2 }],
};

test("what is declared is made once, and declaring it again changes nothing", async (context) => {
  const scene = await start(context);
  assert.deepEqual(await scene.declare(DECLARED), [
    "created queue a",
    "created queue b",
    "created queue f.fifo",
    "created queue g.fifo",
    "created topic t",
    "created topic t.fifo",
    "created function charge",
    "created mapping a to charge",
  ]);
  const a = await attributesOf(scene, "a");
  assert.equal(a["VisibilityTimeout"], "120");
  assert.deepEqual(JSON.parse(a["RedrivePolicy"] ?? ""), {
    deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:b",
    maxReceiveCount: 3,
  });
  assert.match(a["Policy"] ?? "", /arn:aws:sns:us-east-1:000000000000:t"/);
  assert.equal((await attributesOf(scene, "f.fifo"))["ContentBasedDeduplication"], "true");
  assert.deepEqual(await scene.declare(DECLARED), []);
});

test("what differs is changed, also back to what AWS has where nothing is said any more", async (context) => {
  const scene = await start(context);
  await scene.declare(DECLARED);
  const changed = {
    ...DECLARED,
    queues: { ...DECLARED.queues, a: { visibility: "2m" } },
    topics: { ...DECLARED.topics, t: { subscriptions: [{ queue: "a", filter: { a: { b: [1] } }, filterOn: "body" }] } },
    functions: { charge: { file: "other.mjs", environment: { A: "2" }, timeout: "5s" } },
    mappings: [{ queue: "a", function: "charge", on: false }],
  };
  assert.deepEqual(await scene.declare(changed), [
    "updated queue a",
    "updated topic t",
    "updated function charge",
    "updated mapping a to charge",
  ]);
  const a = await attributesOf(scene, "a");
  assert.equal(a["DelaySeconds"], "0");
  assert.equal(a["RedrivePolicy"], undefined);
  const found = await scene.server.queues.execute<"getFunction">({
    kind: "getFunction",
    function: { ...SCOPE, name: "charge" },
  });
  assert.ok(found.ok);
  const { form, timeoutMs, environment, reservedConcurrency } = found.value.record;
  assert.deepEqual(
    { form, timeoutMs, environment, reservedConcurrency },
    {
      form: { is: "file", path: "/project/other.mjs" },
      timeoutMs: 5000,
      environment: { A: "2" },
      reservedConcurrency: undefined,
    },
  );
  assert.deepEqual(await scene.declare(changed), []);
  // Without a filter everything is delivered again.
  const unfiltered = { ...changed, topics: { ...DECLARED.topics, t: { subscriptions: [{ queue: "a" }] } } };
  assert.deepEqual(await scene.declare(unfiltered), ["updated topic t"]);
  assert.deepEqual(await scene.declare(unfiltered), []);
});

test("nothing that is not declared is deleted or changed", async (context) => {
  const scene = await start(context);
  const queue = { ...SCOPE, name: "mine" };
  await scene.server.queues.execute({ kind: "createQueue", queue, attributes: { DelaySeconds: "7" }, tags: {} });
  await scene.declare(DECLARED);
  assert.deepEqual(await scene.declare({}), []);
  assert.equal((await attributesOf(scene, "mine"))["DelaySeconds"], "7");
  assert.equal((await attributesOf(scene, "a"))["VisibilityTimeout"], "120");
});

test("what the server refuses is named with its place, and can be put right", async (context) => {
  const scene = await start(context);
  const wrong = { ...DECLARED, mappings: [{ queue: "a", function: "charge", filters: [{ body: 5 }] }] };
  await assert.rejects(scene.declare(wrong), /^Fault: mappings\[0\] cannot be as declared: .*InvalidParameterValue/);
  assert.deepEqual(await scene.declare(DECLARED), ["created mapping a to charge"]);
});
