// What the front on sockets does beyond what all fronts do (http-fronts.test.ts).

import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { test } from "node:test";
import type { FrontTimeouts } from "../front-limits.ts";
import type { FrontHandler, FrontRequest, FrontResponse } from "../http-front.ts";
import { SocketFront } from "./socket-front.ts";

const TIMEOUTS: FrontTimeouts = { keepAliveMs: 5000, headersMs: 5000, requestMs: 5000, stalledMs: 5000, checkMs: 5000 };
const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
}

function post(body: string, headers = ""): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
}

function text(body: string): FrontResponse {
  return { status: 200, headers: {}, body };
}

interface Client {
  socket: Socket;
  /** What came so far, as one string for each packet. */
  packets: string[];
  /** Resolves with everything once the server has ended. */
  all: Promise<string>;
}

async function withClient(
  handler: FrontHandler,
  use: (client: Client, front: SocketFront) => Promise<void>,
  timeouts: Partial<FrontTimeouts> = {},
): Promise<void> {
  const refuseTooLarge = () => ({ status: 413, headers: {}, body: "too large" });
  const front = new SocketFront({ handler, requestBytesMax: 1000, refuseTooLarge }, { ...TIMEOUTS, ...timeouts });
  const { port } = await front.listen("127.0.0.1", 0);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }).setEncoding("utf8");
  const packets: string[] = [];
  socket.on("data", (packet: string) => packets.push(packet));
  const all = once(socket, "end").then(() => packets.join(""));
  try {
    await use({ socket, packets, all }, front);
  } finally {
    socket.destroy();
    await front.close(0);
  }
}

function bodiesIn(answers: string): string[] {
  return answers
    .split("HTTP/1.1 ")
    .slice(1)
    .map((answer) => answer.split("\r\n\r\n")[1] ?? "");
}

/** Requests that wait until they are told to go on, by path. */
function held(): { handler: FrontHandler; arrived: (path: string) => Promise<void>; answer: (path: string) => void } {
  const answers = new Map<string, (response: FrontResponse) => void>();
  const arrivals = new Map<string, () => void>();
  return {
    handler: ({ target }) =>
      new Promise((resolve) => {
        answers.set(target, resolve);
        arrivals.get(target)?.();
      }),
    arrived: (path) =>
      answers.has(path) ? Promise.resolve() : new Promise((resolve) => void arrivals.set(path, resolve)),
    answer: (path) => answers.get(path)?.(text(path)),
  };
}

test("answers go out in the order of the requests, and those of one turn in one packet", async () => {
  const { handler, arrived, answer } = held();
  await withClient(handler, async ({ socket, packets }) => {
    socket.write(get("/1") + get("/2") + get("/3"));
    await arrived("/3");
    answer("/3");
    answer("/2");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(packets, [], "the first one is not answered yet");
    answer("/1");
    await once(socket, "data");
    assert.equal(packets.length, 1);
    assert.deepEqual(bodiesIn(packets.join("")), ["/1", "/2", "/3"]);
  });
});

test("a client that ends its side is answered, and then the connection ends", async () => {
  const { handler, arrived, answer } = held();
  await withClient(handler, async ({ socket, all }) => {
    socket.end(get("/1") + get("/2"));
    await arrived("/2");
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer("/1");
    answer("/2");
    assert.deepEqual(bodiesIn(await all), ["/1", "/2"]);
  });
});

test("a client that ends its side stops what waits for its sake, and reads what that comes to", async () => {
  const handler: FrontHandler = async (_request, { signal }) => {
    await once(signal, "abort");
    return text("nothing came");
  };
  await withClient(handler, async ({ socket, all }) => {
    socket.end(GET);
    assert.deepEqual(bodiesIn(await all), ["nothing came"]);
  });
});

test("a client that ends its side is answered however much it had sent ahead", async () => {
  const handler: FrontHandler = async ({ target }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return text(target);
  };
  await withClient(handler, async ({ socket, all }) => {
    const paths = Array.from({ length: 1000 }, (_, nth) => `/${nth}`);
    socket.end(paths.map((path) => get(path)).join(""));
    assert.deepEqual(bodiesIn(await all), paths);
  });
});

test("a request that breaks off is refused, after the answers before it", async () => {
  await withClient(
    () => text("ok"),
    async ({ socket, all }) => {
      socket.end(`${GET}POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc`);
      assert.match(await all, /^HTTP\/1\.1 200 .*okHTTP\/1\.1 400 /s);
    },
  );
});

test("who waits for leave to send gets it when its turn has come", async () => {
  const bodies: string[] = [];
  const { handler, arrived, answer } = held();
  const both: FrontHandler = (request, caller) => {
    if (request.method === "GET") return handler(request, caller);
    bodies.push(Buffer.from(request.body).toString());
    return text("posted");
  };
  await withClient(both, async ({ socket, packets }) => {
    const head = post("12345", "Expect: 100-continue\r\n").slice(0, -5);
    socket.write(get("/1") + head);
    await arrived("/1");
    answer("/1");
    await once(socket, "data");
    assert.match(packets.join(""), /\/1HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write("12345");
    await once(socket, "data");
    assert.deepEqual(bodies, ["12345"]);
    socket.write(post("67890", "Expect: 100-continue\r\n"));
    await once(socket, "data");
    assert.equal(packets.join("").split("100 Continue").length, 2, "who sends without waiting is not told to");
  });
});

test("a connection whose bodies wait is not read on when they are as large as one may be", async () => {
  let waitingCount = 0;
  const waitings: ((response: FrontResponse) => void)[] = [];
  const handler: FrontHandler = () => {
    waitingCount += 1;
    return new Promise((resolve) => waitings.push(resolve));
  };
  await withClient(handler, async ({ socket, all }) => {
    for (let nth = 0; nth < 9; nth++) socket.write(post("x".repeat(400)));
    socket.write(post("x".repeat(400), "Connection: close\r\n"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(waitingCount, 3);
    const timer = setInterval(() => waitings.shift()?.(text("ok")), 1);
    assert.equal(bodiesIn(await all).length, 10);
    clearInterval(timer);
  });
});

test("an answer to HEAD has the length and not the body, one without content neither", async () => {
  const handler: FrontHandler = ({ target }) =>
    target === "/none" ? { status: 204, headers: {}, body: "" } : text("grüße");
  await withClient(handler, async ({ socket, all }) => {
    socket.write(`HEAD / HTTP/1.1\r\nHost: a\r\n\r\n${get("/none")}${get("/", "Connection: close\r\n")}`);
    const [head = "", none = "", last = ""] = (await all).split("HTTP/1.1 ").slice(1);
    assert.match(head, /content-length: 7\r\n\r\n$/);
    assert.doesNotMatch(none, /content-length/);
    assert.match(last, /connection: close\r\ncontent-length: 7\r\n\r\ngrüße$/);
  });
});

test("long answers and bytes arrive whole, between short ones", async () => {
  const long = "é".repeat(100_000);
  const handler: FrontHandler = ({ target }) => {
    if (target === "/bytes") return { status: 200, headers: {}, body: Buffer.from(long) };
    return text(target === "/long" ? long : "short");
  };
  await withClient(handler, async ({ socket, all }) => {
    socket.write(get("/") + get("/long") + get("/bytes") + get("/", "Connection: close\r\n"));
    assert.deepEqual(bodiesIn(await all), ["short", long, long, "short"]);
  });
});

test("a header that would begin another one is not sent", async () => {
  const handler: FrontHandler = () => ({ status: 200, headers: { "x-one": "1\r\nx-two: 2" }, body: "" });
  await withClient(handler, async ({ socket, all }) => {
    socket.write(get("/", "Connection: close\r\n"));
    const answer = await all;
    assert.match(answer, /^HTTP\/1\.1 500 /);
    assert.doesNotMatch(answer, /x-two/);
  });
});

test("a body that lies whole in its packet is not copied", async () => {
  const seen: FrontRequest[] = [];
  const handler: FrontHandler = (request) => {
    seen.push(request);
    return text("ok");
  };
  await withClient(handler, async ({ socket }) => {
    socket.write(post("12345"));
    await once(socket, "data");
    const [{ body } = { body: Buffer.alloc(0) }] = seen;
    assert.equal(Buffer.from(body).toString(), "12345");
    assert.ok(body.byteOffset > 0, "a view of what lies behind the head");
  });
});

test("an idle connection is closed after a while, and an empty line before a request is no request", async () => {
  const startedAtMs = performance.now();
  await withClient(
    () => text("ok"),
    async ({ socket, all }) => {
      socket.write(`${post("12345")}\r\n`);
      socket.write(GET);
      assert.deepEqual(bodiesIn(await all), ["ok", "ok"]);
      assert.ok(performance.now() - startedAtMs >= 30, "not before");
    },
    { keepAliveMs: 30, checkMs: 5 },
  );
});
