import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { HttpClient } from "./http-client.ts";
import { runLoop } from "./loop.ts";
import type { LoopOrder } from "./orders.ts";

const CONNECTIONS = 8;

test("every message of every connection is counted, and the loop ends with its allowance", async (context) => {
  let requests = 0;
  const endpoint = await serve(context, () => {
    requests += 1;
    return "200 OK";
  });
  const result = await run(endpoint, { seconds: 60, warmUpSeconds: 0, messagesMax: 2000 });
  assert.ok(result.messages >= 2000 && result.messages < 2000 + 2 * CONNECTIONS, `${result.messages}`);
  // The probe's own step is not among those measured; each step of this echo counts as two messages.
  assert.equal(result.messages / 2, requests - 1);
});

test("one bad answer fails the run", async (context) => {
  let requests = 0;
  const endpoint = await serve(context, () => (++requests === 500 ? "500 Oops" : "200 OK"));
  await assert.rejects(run(endpoint, { seconds: 60, warmUpSeconds: 0 }), /an answer was 500/);
});

async function run(endpoint: string, more: Pick<LoopOrder, "seconds" | "warmUpSeconds" | "messagesMax">) {
  const probe = new HttpClient(endpoint);
  try {
    return await runLoop(
      {
        kind: "loop",
        endpoint,
        protocol: "json",
        serverPids: [],
        work: { kind: "echo", exchanges: [{ requestBytes: 1000, answerBytes: 100 }], messages: 2 },
        queueUrl: "",
        connections: CONNECTIONS,
        ...more,
      },
      probe,
    );
  } finally {
    probe.close();
  }
}

async function serve(context: TestContext, status: () => string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => socket.write(`HTTP/1.1 ${status()}\r\nContent-Length: 0\r\n\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
