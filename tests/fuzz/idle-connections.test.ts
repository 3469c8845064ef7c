// Ten thousand connections that say nothing, half of them after one request: the server answers others as before, and
// what each of them costs it stays small.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { FrontProcess } from "./front-process.ts";

/** Fewer where the system allows fewer files, for the client and the server alike. */
const CONNECTIONS = Math.min(10_000, openFilesMax() - 200);
const AT_ONCE = 200;
const BYTES_EACH_MAX = 32 * 1024;
const REQUEST = "GET /?Action=ListQueues HTTP/1.1\r\nHost: a\r\n\r\n";

for (const httpFront of ["sockets", "node"] as const) {
  test(`${CONNECTIONS} idle connections at the ${httpFront} front`, async (context) => {
    const minute = 60_000;
    const front = await FrontProcess.start(
      {
        keepAliveMs: minute,
        headersMs: minute,
        requestMs: minute,
        stalledMs: minute,
        checkMs: 1000,
      },
      httpFront,
    );
    context.after(() => front.stop());
    await front.assertWell();
    const residentBefore = front.residentBytes;
    const sockets: Socket[] = [];
    context.after(() => {
      for (const socket of sockets) socket.destroy();
    });
    while (sockets.length < CONNECTIONS) {
      const opened = Array.from({ length: Math.min(AT_ONCE, CONNECTIONS - sockets.length) }, () =>
        connect(front.port, "127.0.0.1"),
      );
      sockets.push(...opened);
      await Promise.all(opened.map((socket) => once(socket, "connect")));
      const asking = opened.slice(0, AT_ONCE / 2);
      for (const socket of asking) socket.write(REQUEST);
      await Promise.all(asking.map((socket) => once(socket, "data")));
    }
    await front.assertWell();
    const bytesEach = (front.residentBytes - residentBefore) / CONNECTIONS;
    context.diagnostic(`${Math.round(bytesEach)} bytes each`);
    assert.ok(bytesEach < BYTES_EACH_MAX, `${Math.round(bytesEach)} bytes each`);
    assert.ok(
      sockets.every(({ destroyed }) => !destroyed),
      "some were closed",
    );
    for (const socket of sockets.splice(0)) socket.destroy();
    await front.assertWell();
  });
}

function openFilesMax(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024);
}
