import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { idempotentFetch } from "./http-fetch.ts";
import type { HttpIdempotencyOptions } from "./http-idempotency.ts";
import { idempotentNode } from "./http-node.ts";
import { type MemoryTransaction, memoryStore } from "./memory-store.ts";

type Options = Partial<HttpIdempotencyOptions<MemoryTransaction>>;
type Ask = (headers: Record<string, string>, body?: string, path?: string, method?: string) => Promise<Response>;

/** What a charge does: counts, and says how it went. `before` is awaited first. */
class Charges {
  count = 0;
  status = 201;
  before: () => Promise<void> = async () => {};

  async make(body: string): Promise<{ status: number; text: string }> {
    await this.before();
    this.count++;
    return { status: this.status, text: `charge ${this.count} of ${body}` };
  }
}

interface Front {
  name: string;
  start(charges: Charges, options: Options, test: TestContext): Promise<Ask>;
}

const fetchFront: Front = {
  name: "fetch",
  async start(charges, options) {
    const handle = idempotentFetch(
      async (request) => {
        const { status, text } = await charges.make(await request.text());
        return new Response(text, { status, headers: { "x-charge": "yes", "set-cookie": "a=1" } });
      },
      { store: memoryStore(), ...options },
    );
    return (headers, body = "12.50", path = "/charges", method = "POST") =>
      handle(new Request(`http://local${path}`, { method, headers, ...(method === "GET" ? {} : { body }) }));
  },
};

const nodeFront: Front = {
  name: "node:http",
  async start(charges, options, test) {
    const handle = idempotentNode(
      async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const { status, text } = await charges.make(Buffer.concat(chunks).toString());
        response.setHeader("set-cookie", ["a=1"]);
        response.writeHead(status, { "x-charge": "yes", "transfer-encoding": "chunked" });
        response.write(text.slice(0, 3));
        response.end(text.slice(3));
      },
      { store: memoryStore(), bodyBytesMax: 1_000, ...options },
    );
    const server = createServer((request, response) => void handle(request, response).catch(() => {}));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    test.after(() => server.close());
    const { port } = server.address() as { port: number };
    return (headers, body = "12.50", path = "/charges", method = "POST") =>
      fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(method === "GET" ? {} : { body }) });
  },
};

for (const front of [fetchFront, nodeFront]) {
  const httpTest = (title: string, run: (ask: Ask, charges: Charges) => Promise<void>, options: Options = {}) =>
    test(`${front.name}: ${title}`, async (context) => {
      const charges = new Charges();
      await run(await front.start(charges, options, context), charges);
    });
  const key = { "idempotency-key": '"8e03978e-40d5"' };

  httpTest("a repeat gets the saved answer, whole, and marked", async (ask, charges) => {
    for (const isReplay of [false, true, true]) {
      const answer = await ask(key);
      assert.equal(answer.status, 201);
      assert.equal(await answer.text(), "charge 1 of 12.50");
      assert.equal(answer.headers.get("x-charge"), "yes");
      assert.equal(answer.headers.get("set-cookie"), "a=1");
      assert.equal(answer.headers.get("idempotent-replayed"), isReplay ? "true" : null);
    }
    assert.equal(charges.count, 1);
  });

  httpTest("the key counts the same with quotes and without", async (ask, charges) => {
    await ask(key);
    await ask({ "idempotency-key": "8e03978e-40d5" });
    assert.equal(charges.count, 1);
  });

  httpTest("409 while the first one runs, with when to ask again", async (ask, charges) => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const began = new Promise<void>((resolve) => {
      charges.before = () => {
        resolve();
        return held;
      };
    });
    const first = ask(key);
    await began;
    const second = await ask(key);
    assert.equal(second.status, 409);
    assert.equal(second.headers.get("content-type"), "application/problem+json");
    assert.ok(Number(second.headers.get("retry-after")) >= 1);
    finish();
    assert.equal((await first).status, 201);
    assert.equal((await ask(key)).status, 201);
    assert.equal(charges.count, 1);
  });

  httpTest("422 for another body, another path, another method", async (ask, charges) => {
    await ask(key);
    assert.equal((await ask(key, "99")).status, 422);
    assert.equal((await ask(key, "12.50", "/refunds")).status, 422);
    assert.equal((await ask(key, "12.50", "/charges", "PATCH")).status, 422);
    assert.equal(charges.count, 1);
  });

  httpTest("400 when the key is missing, empty or too long", async (ask, charges) => {
    for (const headers of [{}, { "idempotency-key": '""' }, { "idempotency-key": "x".repeat(256) }]) {
      const answer = await ask(headers as Record<string, string>);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { status: number }).status, 400);
    }
    assert.equal(charges.count, 0);
  });

  httpTest(
    "without a key it runs unguarded only where that is allowed",
    async (ask, charges) => {
      await ask({});
      await ask({});
      assert.equal(charges.count, 2);
    },
    { required: false },
  );

  httpTest("an error is an answer and is saved; not now is not", async (ask, charges) => {
    charges.status = 503;
    assert.equal((await ask(key)).status, 503);
    charges.status = 402;
    assert.equal((await ask(key)).status, 402);
    charges.status = 201;
    assert.equal((await ask(key)).status, 402);
    assert.equal(charges.count, 2);
  });

  httpTest("a handler that throws saves nothing", async (ask, charges) => {
    charges.before = async () => {
      throw new Error("a mishap");
    };
    if (front === fetchFront) await assert.rejects(ask(key), /a mishap/);
    else assert.equal((await ask(key)).status, 500);
    charges.before = async () => {};
    assert.equal((await ask(key)).status, 201);
  });

  httpTest(
    "503 when the store is out of reach, and nothing is done",
    async (ask, charges) => {
      assert.equal((await ask(key)).status, 503);
      assert.equal(charges.count, 0);
    },
    {
      store: { begin: async () => Promise.reject(new Error("out of reach")) },
    },
  );

  httpTest(
    "callers who choose the same key do not meet",
    async (ask, charges) => {
      await ask({ ...key, authorization: "alice" });
      assert.match(await (await ask({ ...key, authorization: "bob" })).text(), /charge 2/);
      assert.equal(charges.count, 2);
    },
    { caller: (request) => request.header("authorization") ?? "" },
  );

  httpTest("reading is not guarded", async (ask, charges) => {
    assert.equal((await ask({}, undefined, "/charges", "GET")).status, 201);
    assert.equal(charges.count, 1);
  });

  test(`${front.name}: an answer is forgotten after its time`, async (context) => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const charges = new Charges();
    const ask = await front.start(charges, { clock, store: memoryStore({ clock }) }, context);
    await ask(key);
    await clock.advance(24 * 3_600_000);
    assert.match(await (await ask(key)).text(), /charge 2/);
  });
}

test("node:http: a body that is too long gets 413", async (context) => {
  const charges = new Charges();
  const ask = await nodeFront.start(charges, {}, context);
  assert.equal((await ask({ "idempotency-key": "a" }, "x".repeat(1_001))).status, 413);
  assert.equal(charges.count, 0);
});
