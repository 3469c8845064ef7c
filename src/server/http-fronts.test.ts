// What every front holds to, tried on each of them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { isFault } from "../base/fault.ts";
import type { FrontTimeouts } from "./front-limits.ts";
import type {
  AdoptingFront,
  FrontHandler,
  FrontRequest,
  FrontResponse,
  HttpFront,
  HttpFrontOptions,
} from "./http-front.ts";
import { authorityOf, listenFault } from "./listening.ts";
import { NodeHttpFront } from "./node-http-front.ts";
import { SocketFront } from "./socket-front/socket-front.ts";

const TIMEOUTS: FrontTimeouts = { keepAliveMs: 5000, headersMs: 5000, requestMs: 5000, stalledMs: 5000, checkMs: 5000 };

function textAnswer(body: string): FrontResponse {
  return { status: 200, headers: { "content-type": "text/plain" }, body };
}

/** As a front process has it: connections are accepted elsewhere. */
function adopting(Adopting: new (options: HttpFrontOptions, timeouts?: FrontTimeouts) => AdoptingFront) {
  const name = `${Adopting.name} that adopts`;
  const Front = class implements HttpFront {
    readonly #front: AdoptingFront;
    readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.#front.adopt(socket));

    constructor(options: HttpFrontOptions, timeouts?: FrontTimeouts) {
      this.#front = new Adopting(options, timeouts);
    }

    async listen(host: string, port: number) {
      try {
        await once(this.#server.listen(port, host), "listening");
      } catch (error) {
        throw listenFault(error as NodeJS.ErrnoException, host, port);
      }
      const taken = (this.#server.address() as { port: number }).port;
      this.#front.open(authorityOf(host, taken));
      return { port: taken };
    }

    async close(drainMs: number) {
      this.#server.close();
      await this.#front.close(drainMs);
    }
  };
  return Object.defineProperty(Front, "name", { value: name });
}

const FRONTS = [NodeHttpFront, SocketFront, adopting(NodeHttpFront), adopting(SocketFront)];
let Front = FRONTS[0] as (typeof FRONTS)[number];

/** One test for each front. */
function onEachFront(name: string, run: () => Promise<void>): void {
  for (const each of FRONTS) {
    test(`${each.name}: ${name}`, () => {
      Front = each;
      return run();
    });
  }
}

async function withFront<Value>(
  handler: FrontHandler,
  use: (port: number, front: HttpFront) => Promise<Value>,
  timeouts = TIMEOUTS,
): Promise<Value> {
  const refuseTooLarge = () => ({ status: 413, headers: {}, body: "too large" });
  const front = new Front({ handler, requestBytesMax: 1000, refuseTooLarge }, timeouts);
  const { port } = await front.listen("127.0.0.1", 0);
  try {
    return await use(port, front);
  } finally {
    await front.close(0);
  }
}

async function rawAnswer(socket: Socket): Promise<string> {
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    received += chunk;
  });
  await once(socket, "close");
  return received;
}

onEachFront("a request arrives whole, and its answer has a length", async () => {
  const seen: FrontRequest[] = [];
  const handler: FrontHandler = async (request) => {
    seen.push(request);
    return textAnswer("grüße");
  };
  await withFront(handler, async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/a/b?c=d`, {
      method: "POST",
      body: "hello",
      headers: { "X-One": "1" },
    });
    assert.equal(response.headers.get("content-length"), "7");
    assert.equal(await response.text(), "grüße");
    const [request] = seen;
    assert.equal(request?.target, "/a/b?c=d");
    assert.equal(request?.headers["x-one"], "1");
    assert.equal(Buffer.from(request?.body ?? []).toString(), "hello");
    assert.equal(request?.localAuthority, `127.0.0.1:${port}`);
  });
});

onEachFront(
  "a body over the limit is refused, whether its length was declared or not, and a sender of it reads the answer",
  async () => {
    const handler: FrontHandler = async () => assert.fail("the handler must not see it");
    await withFront(handler, async (port) => {
      const declared = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x".repeat(200_000) });
      assert.equal(declared.status, 413);
      assert.equal(declared.headers.get("connection"), "close");
      const chunked = httpRequest({ port, method: "POST", headers: { "transfer-encoding": "chunked" } });
      chunked.write("x".repeat(600));
      chunked.end("x".repeat(600));
      const [response] = await once(chunked, "response");
      assert.equal(response.statusCode, 413);
      response.resume();
    });
  },
);

onEachFront("who asks before sending is told at once that the body is too large", async () => {
  await withFront(
    async () => textAnswer("ok"),
    async (port) => {
      const socket = connect(port, "127.0.0.1");
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n");
      assert.match(await rawAnswer(socket), /^HTTP\/1\.1 413 /);
    },
  );
});

onEachFront("a client that hangs up aborts its signal, before and after the handler asks for it", async () => {
  let isReached: () => void;
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  let noteAborted: (isLateAborted: boolean) => void;
  const aborted = new Promise<boolean>((resolve) => {
    noteAborted = resolve;
  });
  const handler: FrontHandler = async (_request, caller) => {
    const { signal } = caller;
    isReached();
    await once(signal, "abort");
    noteAborted(caller.signal.aborted);
    return textAnswer("nobody reads this");
  };
  await withFront(handler, async (port) => {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await reached;
    socket.destroy();
    assert.equal(await aborted, true);
  });
});

onEachFront(
  "a client that ends its sending side gets its answers, and the connection ends behind the last one",
  async () => {
    const handler: FrontHandler = async ({ target }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return textAnswer(`answer to ${target}`);
    };
    await withFront(handler, async (port) => {
      const one = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      one.end("POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
      const three = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      three.end(["/a", "/b", "/c"].map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
      one.on("end", () => one.destroy());
      three.on("end", () => three.destroy());
      const [toOne, toThree] = await Promise.all([rawAnswer(one), rawAnswer(three)]);
      assert.match(toOne, /^HTTP\/1\.1 200 OK\r\n[\s\S]*answer to \/one$/);
      assert.deepEqual(toThree.match(/answer to \/./g), ["answer to /a", "answer to /b", "answer to /c"]);
    });
  },
);

onEachFront(
  "who waits for a client that ended its sending side is told that it hung up, and may still answer",
  async () => {
    const handler: FrontHandler = async (_request, caller) => {
      await once(caller.signal, "abort");
      return textAnswer("nothing came");
    };
    await withFront(handler, async (port) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      setTimeout(() => socket.end(), 20);
      socket.on("end", () => socket.destroy());
      assert.match(await rawAnswer(socket), /nothing came$/);
    });
  },
);

onEachFront("a request that ends in the middle is refused, not handled", async () => {
  const handler: FrontHandler = async () => assert.fail("the request never became whole");
  await withFront(handler, async (port) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.end("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
    socket.on("end", () => socket.destroy());
    assert.match(await rawAnswer(socket), /^HTTP\/1\.1 400 /);
  });
});

onEachFront("an answered request leaves its signal alone", async () => {
  const signals: AbortSignal[] = [];
  const handler: FrontHandler = async (_request, caller) => {
    signals.push(caller.signal);
    return textAnswer("ok");
  };
  await withFront(handler, async (port) => {
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
  });
  assert.equal(signals[0]?.aborted, false);
});

onEachFront("a sender that takes too long for its headers or its body is cut off", async () => {
  const timeouts = { keepAliveMs: 5000, headersMs: 20, requestMs: 20, stalledMs: 5000, checkMs: 5 };
  const handler: FrontHandler = async () => assert.fail("the request never became whole");
  await withFront(
    handler,
    async (port) => {
      const inHeaders = connect(port, "127.0.0.1");
      inHeaders.write("GET / HTTP/1.1\r\nHost:");
      const inBody = connect(port, "127.0.0.1");
      inBody.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
      assert.match(await rawAnswer(inHeaders), /^HTTP\/1\.1 408 /);
      assert.match(await rawAnswer(inBody), /^HTTP\/1\.1 408 /);
    },
    timeouts,
  );
});

onEachFront("a client that does not take its answer is cut off", async () => {
  const takenAfter = async (port: number, idleMs: number): Promise<number> => {
    const socket = connect(port, "127.0.0.1").pause();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    let takenBytes = 0;
    socket
      .on("error", () => {})
      .on("data", (chunk: Buffer) => {
        takenBytes += chunk.length;
      });
    socket.resume();
    await once(socket, "close");
    return takenBytes;
  };
  await withFront(
    async () => textAnswer("x".repeat(50_000_000)),
    async (port) => {
      // On a busy machine the answer may not even be on its way after a while.
      for (const idleMs of [500, 3000, 15_000]) if ((await takenAfter(port, idleMs)) < 50_000_000) return;
      assert.fail("the answer was still there");
    },
    { ...TIMEOUTS, stalledMs: 50 },
  );
});

onEachFront(
  "a connection that sends ahead is not read on while many of its requests wait, and goes on afterwards",
  async () => {
    let handledCount = 0;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler: FrontHandler = async () => {
      handledCount += 1;
      await released;
      return textAnswer("ok");
    };
    await withFront(handler, async (port) => {
      const count = 20_000;
      const socket = connect(port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count - 1));
      socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      await new Promise((resolve) => setTimeout(resolve, 200));
      // What one packet brought is taken, more is not.
      assert.ok(handledCount < 6000, `${handledCount} requests were taken`);
      release();
      const answers = (await rawAnswer(socket)).split("HTTP/1.1 200 OK").length - 1;
      assert.equal(answers, count);
    });
  },
);

onEachFront("closing lets a request being handled finish, and cuts connections that say nothing", async () => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isReached: () => void;
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  const handler: FrontHandler = async () => {
    isReached();
    await released;
    return textAnswer("finished");
  };
  await withFront(handler, async (port, front) => {
    const silent = connect(port, "127.0.0.1");
    await once(silent, "connect");
    const answer = fetch(`http://127.0.0.1:${port}/`);
    await reached;
    const closed = front.close(60_000);
    release();
    const response = await answer;
    assert.equal(response.headers.get("connection"), "close");
    assert.equal(await response.text(), "finished");
    await closed;
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  });
});

onEachFront("a handler that fails is a bare 500", async () => {
  await withFront(
    async () => {
      throw new Error("secret");
    },
    async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      assert.equal(response.status, 500);
      assert.doesNotMatch(await response.text(), /secret/);
    },
  );
});

onEachFront("a taken port and an address of another machine are faults that say what to do", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const options = { handler: async () => textAnswer(""), requestBytesMax: 1, refuseTooLarge: () => textAnswer("") };
  await assert.rejects(new Front(options).listen("127.0.0.1", port), (error) => {
    assert.ok(isFault(error, "PortTaken"));
    assert.match(error.message, /--port 0/);
    return true;
  });
  await assert.rejects(new Front(options).listen("192.0.2.1", 0), (error) => isFault(error, "SettingInvalid"));
  other.close();
});
