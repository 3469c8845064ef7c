import assert from "node:assert/strict";
import { test } from "node:test";
import { readProject } from "./read-project.ts";

const WORLD = { folder: "/project", isFile: (path: string) => path === "/project/charge.mjs" };

function mistakes(value: unknown): string[] {
  return readProject(value, WORLD).problems.map(({ path, text }) => `${path} ${text}`);
}

test("what is not said is as AWS has it; a dead-letter queue that is only named is declared, and keeps messages longest", () => {
  const { project } = readProject(
    {
      queues: { payments: { visibility: "1m", dlq: "failed" } },
      functions: { charge: { file: "charge.mjs", environment: { RETRIES: 3 } } },
      mappings: [{ queue: "payments", function: "charge" }],
    },
    WORLD,
  );
  assert.deepEqual(
    project?.queues.map(({ name, visibilityMs, retentionMs, dlq }) => ({ name, visibilityMs, retentionMs, dlq })),
    [
      { name: "payments", visibilityMs: 60_000, retentionMs: 345_600_000, dlq: { name: "failed", maxReceives: 5 } },
      { name: "failed", visibilityMs: 30_000, retentionMs: 1_209_600_000, dlq: undefined },
    ],
  );
  assert.deepEqual(project?.functions, [
    {
      name: "charge",
      code: { is: "file", path: "/project/charge.mjs" },
      handler: "handler",
      environment: { RETRIES: "3" },
      timeoutMs: 3000,
      memoryMb: 128,
    },
  ]);
  assert.equal(project?.mappings[0]?.batchSize, 10);
});

test("a function may be behind a URL; what would be set for its process is not ours to set", () => {
  const url = "http://127.0.0.1:9000";
  assert.deepEqual(readProject({ functions: { f: { url, timeout: "5s" } } }, WORLD).project?.functions[0]?.code, {
    is: "http",
    url,
  });
  assert.deepEqual(mistakes({ functions: { f: { url, file: "charge.mjs", handler: "h" } } }), [
    'functions.f has "file" and "url": a function is the one or the other',
    'functions.f.handler is for "file": whoever runs what is behind "url" sets it there',
  ]);
});

test("every mistake is found in one reading, with its place and what is allowed", () => {
  assert.deepEqual(
    mistakes({
      queus: {},
      queues: { "a b": {}, orders: { delay: "20m", wait: true, maxReceives: 3, contentDedup: true } },
      functions: {
        charge: { file: "gone.mjs" },
        pay: { file: "charge.rb" },
        none: {},
        both: { file: "charge.mjs", url: "ftp://x" },
      },
      mappings: [{ queue: "orders", function: "charge", batchSize: 0 }],
    }),
    [
      "queus is not known; there are server, queues, topics, functions, mappings, $schema",
      "queues.a b is no name: a name has 1 to 80 letters, digits, hyphens and underscores and may end in .fifo",
      'queues.orders.delay is "20m", and takes whole seconds from 0s to 15m, such as "30s" or "5m"',
      'queues.orders.wait is true, and takes whole seconds from 0s to 20s, such as "30s" or "5m"',
      'queues.orders.maxReceives says when a message goes to the dead-letter queue; add "dlq"',
      "queues.orders.contentDedup works on FIFO alone: a name that ends in .fifo",
      'functions.charge.file is "gone.mjs", and there is no file /project/gone.mjs',
      'functions.pay.file is "charge.rb", and takes a file that ends in one of .js .mjs .cjs .ts .mts .cts .py',
      'functions.none needs "file", a path, or "url", where something speaks the invoke contract',
      'functions.both.url is "ftp://x", and takes a URL, such as "http://127.0.0.1:9000"',
      "mappings[0].batchSize is 0, and takes a whole number from 1 to 10000",
    ],
  );
});

test("what does not fit together is refused with both sides", () => {
  const functions = { charge: { file: "charge.mjs", timeout: "30s" } };
  const [tooSlow = ""] = mistakes({
    queues: { payments: { visibility: "2s" } },
    functions,
    mappings: [{ queue: "payments", function: "charge" }],
  });
  assert.match(
    tooSlow,
    /^mappings\[0\] gives messages of "payments", which are hidden for 2s, to a function .* take 30s/,
  );
  assert.deepEqual(mistakes({ queues: { a: {} }, functions, mappings: [{ queue: "b", function: "charge" }] }), [
    'mappings[0].queue is "b", which this file does not declare; there are a',
  ]);
  assert.match(mistakes({ queues: { a: { dlq: "a" } } })[0] ?? "", /the queue itself/);
  assert.match(mistakes({ queues: { "a.fifo": { dlq: "b" } } })[0] ?? "", /is a FIFO queue/);
  assert.match(
    mistakes({ queues: { a: {} }, topics: { t: { subscriptions: [{ queue: "a" }, { queue: "a" }] } } })[0] ?? "",
    /a second time/,
  );
  const batch = { queue: "a", function: "charge", batchSize: 100 };
  assert.match(mistakes({ queues: { a: {} }, functions, mappings: [batch] })[0] ?? "", /need a "window"/);
});

test("a file that holds something else is refused as a whole", () => {
  assert.match(mistakes([])[0] ?? "", /takes an object with server, queues/);
  assert.match(mistakes({ queues: [] })[0] ?? "", /^queues is \[\], and takes an object/);
});
