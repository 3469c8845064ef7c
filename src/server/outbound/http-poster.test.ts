import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { projectRoot } from "../../../tests/support/project.ts";
import type { OutboundPost } from "../../host/index.ts";
import { HttpPoster, type HttpPosterOptions } from "./http-poster.ts";
import { NetworkRules } from "./network-rules.ts";

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
  port: number | undefined;
}

type Answer = (response: http.ServerResponse, seen: Seen) => void;

async function endpoint(t: TestContext, answer: Answer = (response) => response.end()) {
  const seen: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers, socket } = request;
    const one = { method, url, headers, body, port: socket.remotePort };
    seen.push(one);
    answer(response, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, seen, server };
}

/** A server that does with its connections what it is told, and nothing else. */
async function rawEndpoint(t: TestContext, use: (socket: net.Socket) => void) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    use(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

function poster(t: TestContext, options: Partial<HttpPosterOptions> = {}) {
  const made = new HttpPoster({ rules: new NetworkRules(), ...options });
  t.after(() => made.close());
  return (url: string, more: Partial<OutboundPost> = {}, signal = new AbortController().signal) =>
    made.post({ url, headers: {}, body: "hello", timeoutMs: 10_000, ...more }, signal);
}

test("a post carries the headers and the body, and its answer is the status", async (t) => {
  const { url, port, seen } = await endpoint(t, (response) => response.writeHead(204).end());
  const headers = { "Content-Type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" };
  assert.deepEqual(await poster(t)(`${url}/in?a=b%20c`, { headers, body: "süß" }), { is: "answered", status: 204 });
  const [one] = seen;
  assert.equal(one?.method, "POST");
  assert.equal(one?.url, "/in?a=b%20c");
  assert.equal(one?.body, "süß");
  assert.equal(one?.headers.host, `127.0.0.1:${port}`);
  assert.equal(one?.headers["content-length"], "5");
  assert.equal(one?.headers["transfer-encoding"], undefined);
  assert.equal(one?.headers["content-type"], "text/plain; charset=UTF-8");
  assert.equal(one?.headers["x-amz-sns-message-type"], "Notification");
  assert.equal(one?.headers.authorization, undefined);
});

test("user and password of the URL go into a header and nowhere else", async (t) => {
  const { port, seen } = await endpoint(t);
  await poster(t)(`http://user:p%40ss%3A1@127.0.0.1:${port}/in`);
  assert.equal(seen[0]?.headers.authorization, `Basic ${Buffer.from("user:p@ss:1").toString("base64")}`);
  assert.equal(seen[0]?.url, "/in");
  assert.equal(seen[0]?.headers.host, `127.0.0.1:${port}`);
});

test("redirects are not followed, and errors are answers", async (t) => {
  const { url, seen } = await endpoint(t, (response, { url }) =>
    response.writeHead(Number(url?.slice(1)), { location: "/200" }).end("see there"),
  );
  for (const status of [301, 302, 307, 404, 429, 500, 503]) {
    assert.deepEqual(await poster(t)(`${url}/${status}`), { is: "answered", status });
  }
  assert.equal(seen.length, 7);
});

test("a connection is used again, by the same endpoint only", async (t) => {
  const { url, seen } = await endpoint(t, (response) => response.end("some answer"));
  const post = poster(t);
  for (const path of ["/a", "/a", "/b"]) await post(`${url}${path}`);
  const [a, again, b] = seen.map(({ port }) => port);
  assert.equal(a, again);
  assert.notEqual(a, b);
});

test("the connections of a burst are there for the next one", async (t) => {
  const { url, seen } = await endpoint(t);
  const post = poster(t);
  const burst = () => Promise.all(Array.from({ length: 10 }, () => post(url)));
  await burst();
  await burst();
  assert.equal(seen.length, 20);
  assert.equal(new Set(seen.map(({ port }) => port)).size, 10);
});

test("an endpoint that closed a kept connection is asked once more on a new one", async (t) => {
  let count = 0;
  const { url } = await rawEndpoint(t, (socket) => {
    const isFirst = ++count === 1;
    let asked = 0;
    socket.on("data", () => {
      if (++asked === 2 && isFirst) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
  });
  const post = poster(t);
  assert.deepEqual(await post(url), { is: "answered", status: 200 });
  assert.deepEqual(await post(url), { is: "answered", status: 200 });
  assert.equal(count, 2);
});

test("an endpoint that does not answer is given up in time, and does not hold up its neighbours", async (t) => {
  const { url } = await endpoint(t, (response, { url }) => {
    if (url !== "/dead") response.end();
  });
  const post = poster(t);
  const stop = new AbortController();
  const dead = Array.from({ length: 100 }, () => post(`${url}/dead`, {}, stop.signal));
  assert.deepEqual(await post(`${url}/alive`), { is: "answered", status: 200 });
  stop.abort();
  for (const result of await Promise.all(dead)) {
    assert.deepEqual(result, { is: "failed", reason: "The server is stopping.", forGood: false });
  }
  const late = await post(`${url}/dead`, { timeoutMs: 30 });
  assert.deepEqual(late, { is: "failed", reason: "The endpoint did not answer within 0.03 s.", forGood: false });
});

test("a connection that does not come about is given up sooner", async (t) => {
  const post = poster(t, { connectMs: 30, resolve: () => new Promise(() => undefined) });
  const result = await post("http://pond.example/");
  assert.ok(result.is === "failed" && !result.forGood);
  assert.equal(result.reason, "The connection to pond.example failed: There was no connection within 0.03 s.");
});

test("the status counts even when the rest of the answer does not end", { timeout: 20_000 }, async (t) => {
  const { url } = await endpoint(t, (response) => response.writeHead(200).write("and so on"));
  assert.deepEqual(await poster(t)(url, { timeoutMs: 30 }), { is: "answered", status: 200 });
});

test("a long answer is cut off", { timeout: 20_000 }, async (t) => {
  let sent = 0;
  const { url, sockets } = await rawEndpoint(t, (socket) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const more = () => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
    };
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n");
      socket.on("drain", more);
      more();
    });
  });
  assert.deepEqual(await poster(t)(url), { is: "answered", status: 200 });
  const [socket] = sockets;
  if (socket?.destroyed === false) await new Promise((resolve) => socket.once("close", resolve));
  assert.ok(sent < 100_000_000, `${sent} bytes`);
});

test("what goes wrong is said in words, and is tried again", async (t) => {
  const post = poster(t, {
    resolve: async () => {
      throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    },
  });
  const free = await endpoint(t);
  free.server.close();
  const cases: [string, RegExp][] = [
    [free.url, /^127\.0\.0\.1 refused the connection/],
    ["http://nowhere.invalid/", /^The name nowhere\.invalid is not known\.$/],
    [(await rawEndpoint(t, (socket) => socket.end())).url, /cut the connection|without an answer/],
    [
      (await rawEndpoint(t, (socket) => socket.end("220 mail\r\n"))).url,
      /^The connection to 127\.0\.0\.1 failed: Parse/,
    ],
  ];
  for (const [url, reason] of cases) {
    const result = await post(url);
    assert.ok(result.is === "failed" && !result.forGood, url);
    assert.match(result.reason, reason);
  }
});

test("what no retry can mend fails for good", async (t) => {
  const { url, seen } = await endpoint(t);
  const post = poster(t);
  const cases: [string, Partial<OutboundPost>, RegExp][] = [
    ["ftp://127.0.0.1/", {}, /not an http or https URL/],
    ["pond", {}, /not an http or https URL/],
    [url, { headers: { "Content-Type": "a\r\nb: c" } }, /cannot be made/],
    ["http://169.254.169.254/latest/meta-data", {}, /metadata service/],
    ["http://0xA9FEA9FE/", {}, /metadata service/],
    ["http://[::ffff:169.254.169.254]/", {}, /metadata service/],
  ];
  for (const [bad, more, reason] of cases) {
    const result = await post(bad, more);
    assert.ok(result.is === "failed" && result.forGood, bad);
    assert.match(result.reason, reason);
  }
  assert.equal(seen.length, 0);
});

test("the address that is connected to is checked, whatever the name said before", async (t) => {
  const { port, seen } = await endpoint(t);
  const answers = [["127.0.0.1"], ["127.0.0.2", "127.0.0.1"], ["169.254.169.254"]];
  const rules = new NetworkRules("127.0.0.1");
  const asked: string[] = [];
  // A poster each: addresses are remembered for a moment.
  const post = (index: number) =>
    poster(t, {
      rules,
      resolve: async (name) => {
        asked.push(name);
        return (answers[index] ?? []).map((address) => ({ address, family: 4 }));
      },
    })(`http://rebinding.example:${port}/`);
  assert.deepEqual(await post(0), { is: "answered", status: 200 });
  assert.deepEqual(await post(1), { is: "answered", status: 200 }, "only the allowed address is tried");
  const denied = await post(2);
  assert.ok(denied.is === "failed" && denied.forGood);
  assert.match(denied.reason, /^rebinding\.example is 169\.254\.169\.254\. 169\.254\.169\.254 may be/);
  assert.equal(seen.length, 2);
  assert.deepEqual(asked, new Array(3).fill("rebinding.example"));
});

test("certificates of https endpoints are checked, and more authorities can be trusted", async (t) => {
  const folder = join(projectRoot, "tests", "support", "tls");
  const cert = readFileSync(join(folder, "certificate.pem"), "utf8");
  const key = readFileSync(join(folder, "key.pem"), "utf8");
  const server = https.createServer({ cert, key }, (_, response) => response.writeHead(202).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  assert.deepEqual(await poster(t, { ca: [cert] })(url), { is: "answered", status: 202 });
  const refused = await poster(t)(url);
  assert.ok(refused.is === "failed" && !refused.forGood);
  assert.match(refused.reason, /self-signed certificate/);
  const otherName = url.replace("127.0.0.1", "other.example");
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const misled = await poster(t, { ca: [cert], resolve })(otherName);
  assert.ok(misled.is === "failed");
  assert.match(misled.reason, /altnames/);
});

test("a name is asked for once by all who want to know", async (t) => {
  const { port, seen } = await endpoint(t);
  let asked = 0;
  const post = poster(t, {
    resolve: async () => {
      asked++;
      return [{ address: "127.0.0.1", family: 4 }];
    },
  });
  await Promise.all(["/a", "/b", "/c"].map((path) => post(`http://pond.example:${port}${path}`)));
  assert.equal(seen.length, 3);
  assert.equal(asked, 1);
});
