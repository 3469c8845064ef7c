// The supervisor in front of a server that speaks SQS and nothing else, as AWS does.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { run } from "../../src/cli/run.ts";
import { until } from "../consumer/world.ts";

const silent = { isTerminal: false, columns: 80 };

test("without an admin API the counts of GetQueueAttributes do, and a server that goes away changes nothing", async () => {
  const asked: string[] = [];
  let isUp = true;
  const server = createServer((request, response) => {
    request.resume();
    const action = String(request.headers["x-amz-target"] ?? request.url);
    asked.push(action);
    if (!isUp) return void response.destroy();
    if (request.url !== "/") return void response.writeHead(404).end("<html>no such page</html>");
    const answer = action.endsWith("GetQueueUrl")
      ? { QueueUrl: "http://elsewhere/123456789012/orders" }
      : { Attributes: { ApproximateNumberOfMessages: "25", ApproximateNumberOfMessagesNotVisible: "5" } };
    response.end(JSON.stringify(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const interruption = new AbortController();
  let notes = "";
  const note = (text: string) => {
    notes += text;
  };
  try {
    const flags = ["--dry-run", "--target", "10", "--max", "8", "--every", "20ms", "--grow-every", "50ms", "--json"];
    const running = run(["work", "--queue", "orders", ...flags], {
      environment: { AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      readInput: async () => "",
      interrupted: interruption.signal,
      out: { ...silent, write: () => undefined },
      err: { ...silent, write: note },
    });
    const decisions = () =>
      notes
        .split("\n")
        .filter((line) => line.includes('"event":"decision"'))
        .map((line) => JSON.parse(line) as { wanted: number; measured: Record<string, unknown> });
    await until(() => decisions().at(-1)?.wanted === 3, "three workers for thirty messages");
    assert.equal(decisions().at(-1)?.measured["arrivedPerSecond"], undefined);
    assert.equal(asked.filter((action) => action.startsWith("/_millpond/")).length, 1, "the admin API is tried once");
    isUp = false;
    await until(() => notes.includes("The queue cannot be seen, so the 3 workers stay as they are"), "the outage");
    isUp = true;
    await until(() => notes.includes("The queue can be seen again."), "the recovery");
    assert.equal(decisions().at(-1)?.wanted, 3);
    interruption.abort();
    assert.equal(await running, 0);
  } finally {
    interruption.abort();
    server.closeAllConnections();
    server.close();
  }
});
