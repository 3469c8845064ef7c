// Damage in a sealed segment that a snapshot covers: a start does not read it, so it is found by `log verify` or by the
// first reader, who is told so. It is never served as data, and what is sound is served all the same.

import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "../../src/base/fault.ts";
import type { Host } from "../../src/host/index.ts";
import { openDataFolder, verifyFolder } from "../../src/log/index.ts";
import { FORMAT_FOLDER, MADE_AT_MS, queueKey, startFixtureHost } from "./fixture.ts";

const OPTIONS = { shardCount: 1, durability: "fsync", segmentBytesMax: 16 * 1024 } as const;
const RECEIVES_MAX = 100;

for (const { what, offset } of [
  { what: "a body", offset: 4 },
  { what: "the bytes before a body", offset: -20 },
]) {
  test(`${what}, damaged in a sealed segment behind a snapshot, is reported and never served`, async (context) => {
    const root = await mkdtemp(join(tmpdir(), "millpond-damage-"));
    context.after(() => rm(root, { recursive: true }));
    await cp(join(FORMAT_FOLDER, "data"), root, { recursive: true });
    const path = await oldestSegment(root);
    const bytes = await readFile(path);
    const damagedAt = bytes.indexOf("order 55 ") + offset;
    bytes[damagedAt] = (bytes[damagedAt] as number) ^ 1;
    await writeFile(path, bytes);

    const problems: string[] = [];
    for await (const { problem } of verifyFolder(root)) if (problem !== undefined) problems.push(problem);
    assert.equal(problems.length, 1);
    assertNames(problems[0] as string, path, damagedAt);

    const folder = await openDataFolder(root, OPTIONS);
    const host = await startFixtureHost(folder, MADE_AT_MS, 2);
    const { bodies, refusals } = await receiveAll(host);
    await host.stop();
    await folder.close();
    assert.ok(refusals.length > 0, "nobody was told");
    for (const refusal of refusals) assertNames(refusal, path, damagedAt);
    const expected = JSON.parse(await readFile(join(FORMAT_FOLDER, "expected.json"), "utf8"));
    const sent = new Set(expected.orders.messages.map(({ body }: { body: string }) => body));
    assert.ok(bodies.every((body) => sent.has(body)));
    assert.ok(!bodies.some((body) => body.startsWith("order 55 ")));
    assert.ok(bodies.length >= 50, `only ${bodies.length} sound messages were served`);
  });
}

async function oldestSegment(root: string): Promise<string> {
  const shard = join(root, "shards", "0000");
  const [oldest] = (await readdir(shard)).filter((name) => name.endsWith(".mpl")).sort();
  return join(shard, oldest as string);
}

function assertNames(text: string, path: string, damagedAt: number): void {
  assert.ok(text.includes(path), text);
  const entryAt = Number(/at byte (\d+)/.exec(text)?.[1]);
  assert.ok(entryAt <= damagedAt && damagedAt - entryAt < 4096, `${text} (byte ${damagedAt} was damaged)`);
}

/** Time stands still: what was handed out, or was to be, does not come again. */
async function receiveAll(host: Host): Promise<{ bodies: string[]; refusals: string[] }> {
  const bodies: string[] = [];
  const refusals: string[] = [];
  for (let receive = 0; receive < RECEIVES_MAX; receive++) {
    try {
      const received = await host.execute<"receiveMessages">({
        kind: "receiveMessages",
        queue: queueKey("orders"),
        messagesMax: 3,
        waitMs: 0,
      });
      assert.ok(received.ok);
      if (received.value.messages.length === 0) break;
      for (const { content } of received.value.messages) bodies.push(Buffer.from(content.body).toString());
    } catch (error) {
      assert.ok(isFault(error, "LogDamaged"), String(error));
      refusals.push(error.message);
    }
  }
  return { bodies, refusals };
}
