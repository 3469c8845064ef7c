// The stories that need a database, with real ones. s5: three deliveries, one ledger row, one charge. s6: clicks that a
// function counts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SQSClient } from "@aws-sdk/client-sqs";
import { startProvider } from "../../examples/s5-idempotency/payment-provider.ts";
import { tell, withDynamoDb, withPostgres } from "../../examples/s5-idempotency/story.ts";
import { tell as tellClicks } from "../../examples/s6-click-counter/story.ts";
import { systemClock } from "../../src/base/clock.ts";
import { startMillpond } from "../../src/testing/index.ts";
import { NOT_INSTALLED } from "./contract.ts";
import { connectionTo } from "./support/postgres.ts";
import { dynamoDbTool, postgresTool } from "./support/servers.ts";

/** Thirty in real life. A cold start has to fit into it. */
const CLICK_VISIBILITY_SECONDS = 3;

for (const { tool, hire } of [
  { tool: postgresTool(), hire: (port: number) => withPostgres(connectionTo(port)) },
  { tool: dynamoDbTool(), hire: (port: number) => withDynamoDb(`http://127.0.0.1:${port}`) },
])
  test(`s5 with ${tool.name}: deliveries 2 and 3 are skipped`, {
    skip: tool.start === undefined && NOT_INSTALLED,
  }, async () => {
    const millpond = await startMillpond();
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const sqs = new SQSClient({ endpoint: millpond.endpoint, region: "us-east-1", credentials });
    const server = await tool.start?.();
    assert.ok(server !== undefined);
    const lines: string[] = [];
    try {
      const told = await tell({ sqs, clock: systemClock, say: (line) => void lines.push(line) }, hire(server.port));
      assert.deepEqual(told.results, ["ch_1", "ch_1", "ch_1"]);
      assert.equal(told.rows, 1);
      assert.equal(told.duplicates, 2);
      assert.deepEqual(told.charges, [{ id: "ch_1", cents: 1250 }]);
      assert.deepEqual(told.requests, [`"${told.payment.id}"`]);
      assert.match(lines[2] ?? "", /delivery 3 .* skipped as a duplicate/);
    } finally {
      sqs.destroy();
      await millpond.stop();
      await server.stop();
    }
  });

const dynamoDb = dynamoDbTool();

test("s6: 3 clicks count 3, the same event twice counts once, and one without a code stops nobody", {
  skip: dynamoDb.start === undefined && NOT_INSTALLED,
}, async () => {
  const millpond = await startMillpond();
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const sqs = new SQSClient({ endpoint: millpond.endpoint, region: "us-east-1", credentials });
  const server = await dynamoDb.start?.();
  assert.ok(server !== undefined);
  const stage = { sqs, clock: systemClock, say: () => undefined };
  try {
    const told = await tellClicks(stage, `http://127.0.0.1:${server.port}`, CLICK_VISIBILITY_SECONDS);
    assert.deepEqual(told.redirects, Array(3).fill("302 to https://example.com/docs"));
    assert.deepEqual(told.threeClicks, { total: 3, day: 3 });
    assert.equal(told.sameEventTwice, 1);
    assert.ok(told.meanwhile >= 3, `${told.meanwhile} clicks were counted meanwhile`);
    assert.deepEqual(
      told.dead.map((event) => (event as { id: string }).id),
      [told.faultyId],
    );
    // Three tries, each a visibility timeout apart from the next: never earlier.
    assert.ok(told.deadAfterMs >= 3 * 1000 * CLICK_VISIBILITY_SECONDS - 1000, `${told.deadAfterMs} ms`);
    assert.deepEqual(await millpond.inspect("ClickQueue"), []);
  } finally {
    sqs.destroy();
    await millpond.stop();
    await server.stop();
  }
});

test("the provider charges once a key, and refuses the key for another amount", async (context) => {
  const provider = await startProvider();
  context.after(() => provider.stop());
  const first = await provider.charge({ id: "p", cents: 100 }, "k");
  assert.equal(await provider.charge({ id: "p", cents: 100 }, "k"), first);
  await assert.rejects(provider.charge({ id: "p", cents: 999 }, "k"), /answered 422/);
  assert.equal(provider.charges.length, 1);
});
