// The server behind one of its fronts against clients that break every rule. Whatever they do, each answer is a whole HTTP answer,
// no request is carried out that a wrong reading would have found in another, and a normal request is answered within a
// second by a process that did not grow.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Settings } from "../../src/server/index.ts";
import { fuzz } from "./budget.ts";
import { converse, cutUp, type Ending } from "./conversation.ts";
import { FrontProcess } from "./front-process.ts";
import { damaged, damages } from "./hostile.ts";
import { AMBIGUOUS, type Shape, SMUGGLED, UNUSUAL } from "./raw-requests.ts";

const TIMEOUTS = { keepAliveMs: 2000, headersMs: 500, requestMs: 2000, stalledMs: 4000, checkMs: 100 };
/** For answers that must come, on a machine that may be busy. */
const PATIENT_MS = 10_000;
const MiB = 1024 * 1024;
/** Above what it takes to be at work at all. */
const GROWTH_BYTES_MAX = 160 * MiB;

/** Defines the tests, for one front. */
export function attack(httpFront: Settings["httpFront"]): void {
  let front: FrontProcess;
  let residentAtStart = 0;
  before(async () => {
    front = await FrontProcess.start(TIMEOUTS, httpFront);
    for (const name of ["smuggled", "pipelined", "half"]) await front.createQueue(name);
    await front.assertWell();
    residentAtStart = front.residentBytes;
  });
  after(() => front?.stop());

  async function assertUnharmed(): Promise<void> {
    await front.assertWell();
    const grownBytes = front.residentBytes - residentAtStart;
    assert.ok(grownBytes < GROWTH_BYTES_MAX, `the process grew by ${Math.round(grownBytes / MiB)} MiB`);
    assert.equal(await front.messageCount("smuggled"), 0, "a request was carried out that nobody sent");
  }

  for (const { name, bytes, answers } of [...AMBIGUOUS, ...UNUSUAL]) {
    test(`${name}: ${answers.join(" or ")}`, async () => {
      const heard = await converse(front.port, [Buffer.from(bytes, "latin1")]);
      const [first] = heard.answers;
      if (first === undefined) assert.ok(heard.isClosed && answers.includes("closed"), "there was no answer");
      else assert.ok(answers.includes(first.status), `it was answered with ${first.status}: ${first.body}`);
      assert.ok(heard.answers.length <= 1, "there was a second answer");
      await assertUnharmed();
    });
  }

  const shape = fc.constantFrom(...AMBIGUOUS);
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
  const normal = "GET /?Action=ListQueues HTTP/1.1\r\nHost: a\r\n\r\n";

  fuzz(
    "no reading of an ambiguous request finds a second one in it, wherever packets end",
    0.04,
    fc.tuple(fc.array(fc.tuple(shape, cuts), { minLength: 48, maxLength: 48 }), fc.nat(3)),
    async ([given, before]) => {
      await Promise.all(
        given.map(async ([{ name, bytes }, places]) => {
          const heard = await converse(front.port, cutUp(Buffer.from(normal.repeat(before) + bytes, "latin1"), places));
          assert.ok(
            heard.answers.length <= before + 1,
            `${name}: ${heard.answers.length} answers to ${before + 1} requests`,
          );
        }),
      );
      await assertUnharmed();
    },
  );

  const ending = fc.constantFrom<Ending>("listen", "halfClose", "hangUp");
  /** The smuggled request itself is not among them: alone, it is a request. */
  const anyShape = fc.constantFrom(
    ...[...AMBIGUOUS, ...UNUSUAL].map(({ bytes }: Shape) => bytes.replace(SMUGGLED, normal)),
  );
  const stream = fc.record({
    shapes: fc.array(anyShape, { minLength: 1, maxLength: 4 }),
    damage: damages,
    cuts,
    ending,
  });

  fuzz(
    "damaged streams of requests are answered, refused or cut off",
    0.04,
    fc.array(stream, { minLength: 48, maxLength: 48 }),
    async (streams) => {
      await Promise.all(
        streams.map((each) => {
          const bytes = damaged(Buffer.from(each.shapes.join(""), "latin1"), each.damage);
          return converse(front.port, cutUp(bytes, each.cuts), each.ending);
        }),
      );
      await assertUnharmed();
    },
  );

  test("pipelined requests are all answered, in order", async () => {
    const count = 500;
    const send = (index: number) => {
      const last = index === count - 1 ? "Connection: close\r\n" : "";
      return `GET /000000000000/pipelined?Action=SendMessage&MessageBody=${index} HTTP/1.1\r\nHost: a\r\n${last}\r\n`;
    };
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => send(index)).join(""));
    const { answers } = await converse(front.port, cutUp(bytes, [0.1, 0.33, 0.7]), "listen", PATIENT_MS);
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array.from({ length: count }, () => 200),
    );
    assert.equal(await front.messageCount("pipelined"), count);
  });

  test("a client that closes its sending side behind a request is answered, and the connection ends", async () => {
    const send = Buffer.from("GET /000000000000/half?Action=SendMessage&MessageBody=x HTTP/1.1\r\nHost: a\r\n\r\n");
    const heard = await Promise.all(
      Array.from({ length: 50 }, () => converse(front.port, [send], "halfClose", PATIENT_MS)),
    );
    assert.ok(heard.every(({ answers, isClosed }) => answers.length === 1 && answers[0]?.status === 200 && isClosed));
    assert.equal(await front.messageCount("half"), 50);
  });

  test("senders that take too long are cut off, however steadily they send", async () => {
    const limits: [start: string, limitMs: number][] = [
      ["GET / HTTP/1.1\r\nHost: a\r\nX: ", TIMEOUTS.headersMs],
      ["", TIMEOUTS.headersMs],
      ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", TIMEOUTS.requestMs],
    ];
    const tookMs = await Promise.all(limits.map(([start]) => drip(front.port, start)));
    for (const [index, [, limitMs]] of limits.entries()) {
      const took = tookMs[index] as number;
      assert.ok(took < limitMs + 2 * TIMEOUTS.checkMs + 800, `cut off after ${Math.round(took)} ms, not ${limitMs}`);
    }
    await assertUnharmed();
  });

  test("a connection full of waiting receives does not fill the memory", async () => {
    const wait = Buffer.from(
      "GET /000000000000/smuggled?Action=ReceiveMessage&WaitTimeSeconds=20 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000),
    );
    const socket = connect(front.port, "127.0.0.1").on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    for (let round = 0; round < 200 && !socket.destroyed; round++) {
      socket.write(wait);
      await soon(5);
    }
    await assertUnharmed();
    socket.destroy();
    await closed;
    await assertUnharmed();
  });

  test("clients that ask for much and read nothing do not fill the memory", async () => {
    const body = "x".repeat(MiB - 1024);
    const send = `POST /000000000000/pipelined HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length + 31}\r\n\r\nAction=SendMessage&MessageBody=${body}`;
    await converse(front.port, [Buffer.from(send)]);
    const ask = Buffer.from(
      "GET /000000000000/pipelined?Action=ReceiveMessage&VisibilityTimeout=0&MaxNumberOfMessages=10 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(
        200,
      ),
    );
    const sockets = Array.from({ length: 20 }, () =>
      connect(front.port, "127.0.0.1")
        .on("error", () => undefined)
        .pause(),
    );
    for (const socket of sockets) socket.write(ask);
    await soon(1000);
    await assertUnharmed();
    for (const socket of sockets) socket.destroy();
  });
}

/** Sends a byte now and then, or nothing at all, and answers how long the server put up with it. */
async function drip(port: number, start: string): Promise<number> {
  const startedAtMs = performance.now();
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  socket.write(start);
  const timer = setInterval(() => start !== "" && socket.write("x"), 50);
  await Promise.race([closed, soon(5000)]);
  clearInterval(timer);
  socket.destroy();
  return performance.now() - startedAtMs;
}

function soon(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
