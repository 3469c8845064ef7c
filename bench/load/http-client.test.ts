import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { test } from "node:test";
import { HttpClient, parseAnswer } from "./http-client.ts";

const answer = (text: string) => Buffer.from(text, "latin1");

test("an answer is taken by its length, whole and not before", () => {
  const whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (let length = 0; length < whole.length; length++) {
    assert.equal(parseAnswer(answer(whole.slice(0, length))), undefined);
  }
  const parsed = parseAnswer(answer(whole));
  assert.deepEqual([parsed?.status, parsed?.body.toString(), parsed?.closes], [200, "ok", false]);
});

test("chunks are joined", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  assert.equal(parseAnswer(answer(`${head}3\r\nabc\r\n`)), undefined);
  assert.equal(parseAnswer(answer(`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`))?.body.toString(), "abcde");
});

test("what is not exactly one answer is an error", () => {
  for (const text of [
    "ICY 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ]) {
    assert.throws(() => parseAnswer(answer(text)), Error, text);
  }
});

test("a connection that breaks before its answer is an error, and one that the server closes politely is opened again", async (context) => {
  let connections = 0;
  const endpoint = await listen(
    context,
    createServer((socket) => {
      connections += 1;
      socket.on("data", (data) => {
        if (data.toString() === "break") socket.destroy();
        else socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      });
    }),
  );
  const client = new HttpClient(endpoint);
  assert.equal((await client.send(Buffer.from("ask"))).status, 200);
  assert.equal((await client.send(Buffer.from("ask"))).status, 200);
  assert.deepEqual([connections, client.reconnects], [2, 1]);
  await assert.rejects(client.send(Buffer.from("break")), /connection broke/);
  client.close();
});

async function listen(context: { after: (then: () => void) => void }, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
