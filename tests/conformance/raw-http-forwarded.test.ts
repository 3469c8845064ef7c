// Behind a proxy that the operator vouches for, queue URLs are what the proxy's callers used; with a public URL set
// they are that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { json } from "./http.ts";
import { ACCOUNT, scenariosOnOneServer, World } from "./world.ts";

async function urlOf(endpoint: string, name: string, headers: Record<string, string>): Promise<string> {
  const answer = await json(endpoint, "GetQueueUrl", { QueueName: name }, { host: "inner:1", ...headers });
  return JSON.parse(answer.text).QueueUrl;
}

scenariosOnOneServer(
  (scenario) => {
    scenario("a trusted proxy's headers name scheme, host and port", async (world) => {
      const { name } = await world.queue();
      const forwarded: [Record<string, string>, string][] = [
        [{}, "http://inner:1"],
        [{ "x-forwarded-proto": "https" }, "https://inner:1"],
        [{ "x-forwarded-host": "outer.example.com", "x-forwarded-proto": "https" }, "https://outer.example.com"],
        [{ "x-forwarded-host": "outer:8080" }, "http://outer:8080"],
        [{ "x-forwarded-host": "outer", "x-forwarded-port": "8080" }, "http://outer:8080"],
        [{ "x-forwarded-host": "outer", "x-forwarded-port": "443", "x-forwarded-proto": "https" }, "https://outer"],
        [{ "x-forwarded-host": "first, second", "x-forwarded-proto": "https, http" }, "https://first"],
        [{ "x-forwarded-proto": "javascript" }, "http://inner:1"],
      ];
      for (const [headers, base] of forwarded) {
        assert.equal(await urlOf(world.endpoint, name, headers), `${base}/${ACCOUNT}/${name}`);
      }
    });
  },
  { trustForwarded: true },
);

test("a public URL wins over every header", async () => {
  const world = await World.start("json", { publicUrl: "https://queues.example.com", trustForwarded: true });
  try {
    const { QueueUrl } = await world.sqs.createQueue({ QueueName: "q" });
    assert.equal(QueueUrl, `https://queues.example.com/${ACCOUNT}/q`);
    const url = await urlOf(world.endpoint, "q", { "x-forwarded-host": "outer" });
    assert.equal(url, QueueUrl);
  } finally {
    await world.stop();
  }
});
