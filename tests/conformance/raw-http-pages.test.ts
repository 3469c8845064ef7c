// What a browser and the page in it see: which pages may call queues, what the browser is told before it lets them,
// and what stays closed whatever the setting says.

import assert from "node:assert/strict";
import type { Exchange } from "./http.ts";
import { exchange, get, JSON_TYPE, json, query } from "./http.ts";
import type { World } from "./world.ts";
import { scenariosOnOneServer } from "./world.ts";

const PAGE = "http://localhost:3000";
/** What the JavaScript SDK makes a browser ask for. */
const SDK_HEADERS = "amz-sdk-invocation-id,amz-sdk-request,authorization,content-type,x-amz-date,x-amz-target";

function preflight(world: World, origin: string, given: Exchange = {}) {
  const asked = { "access-control-request-method": "POST", "access-control-request-headers": SDK_HEADERS };
  return exchange(world.endpoint, { ...given, method: "OPTIONS", headers: { origin, ...asked, ...given.headers } });
}

scenariosOnOneServer((scenario) => {
  scenario("a page of this machine is told that it may send what an SDK sends", async (world) => {
    const { url } = await world.queue();
    for (const path of ["/", new URL(url).pathname]) {
      const { status, headers } = await preflight(world, PAGE, { path });
      assert.equal(status, 200);
      assert.equal(headers["access-control-allow-origin"], PAGE);
      assert.equal(headers["access-control-allow-headers"], SDK_HEADERS);
      assert.match(headers["access-control-allow-methods"] ?? "", /\bPOST\b/);
    }
    const { headers } = await preflight(world, PAGE, { headers: { "access-control-request-private-network": "true" } });
    assert.equal(headers["access-control-allow-private-network"], "true");
  });

  scenario("it reads answers and errors of both protocols, signed or not, by POST and by GET", async (world) => {
    const { name, url } = await world.queue();
    const from = { origin: PAGE, "sec-fetch-site": "same-site" };
    const fields = { Action: "GetQueueUrl", QueueName: name };
    const answers = [
      await json(world.endpoint, "GetQueueUrl", { QueueName: name }, from),
      await json(world.endpoint, "GetQueueUrl", { QueueName: name }, { ...from, authorization: "AWS4-HMAC-SHA256 x" }),
      await query(world.endpoint, fields, { headers: from }),
      await get(world.endpoint, "/", fields, from),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.ok(answer.text.includes(url));
    }
    const refused = await json(world.endpoint, "GetQueueUrl", { QueueName: "missing" }, from);
    assert.equal(refused.headers["content-type"], JSON_TYPE);
    for (const { headers } of [...answers, refused]) {
      assert.equal(headers["access-control-allow-origin"], PAGE);
      assert.match(headers["access-control-expose-headers"] ?? "", /x-amzn-query-error/);
      assert.equal(headers["vary"], "origin");
    }
  });

  scenario("a page from elsewhere gets no leave, and its unsigned requests do nothing", async (world) => {
    const queue = await world.queue();
    const origin = "https://evil.example";
    const asked = await preflight(world, origin);
    const sent = await query(
      world.endpoint,
      { Action: "SendMessage", QueueUrl: queue.url, MessageBody: "m" },
      { headers: { origin } },
    );
    for (const { status, headers } of [asked, sent]) {
      assert.equal(status, 403);
      assert.equal(headers["access-control-allow-origin"], undefined);
    }
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("functions and the admin API are closed to pages of this machine, too", async (world) => {
    for (const path of ["/2015-03-31/functions/", "/_millpond/queues"]) {
      const asked = await preflight(world, PAGE, { path });
      const read = await exchange(world.endpoint, { method: "GET", path, headers: { origin: PAGE } });
      for (const { headers } of [asked, read]) assert.equal(headers["access-control-allow-origin"], undefined);
    }
  });
});

scenariosOnOneServer(
  (scenario) => {
    scenario("an origin that the operator named is let in, and localhost no longer", async (world) => {
      assert.equal((await preflight(world, "https://app.example.com")).status, 200);
      assert.equal((await preflight(world, PAGE)).status, 403);
    });
  },
  { corsOrigins: "https://app.example.com" },
);
