// Data folders that earlier versions wrote are opened by this one, and everything in them is found.

import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { openDataFolder, verifyFolder } from "../../src/log/index.ts";
import { decodeSnapshot, encodeSnapshot } from "../../src/engine/index.ts";
import { fingerprint } from "../support/test-shard.ts";
import { describeHost, entry, FORMAT_FOLDER, MADE_AT_MS, queueKey, startFixtureHost } from "./fixture.ts";
import { shardOfEverything } from "./snapshot-state.ts";

const OPTIONS = { shardCount: 1, durability: "fsync", segmentBytesMax: 16 * 1024 } as const;

describe("a data folder of format 1", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "millpond-format-"));
    await cp(join(FORMAT_FOLDER, "data"), root, { recursive: true });
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  test("is whole: a snapshot, and segments on both sides of it", async () => {
    const names = (await readdir(join(root, "shards", "0000"))).sort();
    assert.equal(names.filter((name) => name.endsWith(".mps")).length, 1);
    assert.ok(names.filter((name) => name.endsWith(".mpl")).length >= 2);
    for await (const file of verifyFolder(root)) assert.equal(file.problem, undefined);
  });

  for (const withSnapshot of [true, false]) {
    test(`is opened with every queue and message in it, ${withSnapshot ? "from its snapshot" : "from its log alone"}`, async () => {
      const expected = JSON.parse(await readFile(join(FORMAT_FOLDER, "expected.json"), "utf8")) as Record<
        string,
        unknown
      >;
      const shard = join(root, "shards", "0000");
      if (!withSnapshot)
        for (const name of await readdir(shard)) if (name.endsWith(".mps")) await rm(join(shard, name));
      const folder = await openDataFolder(root, OPTIONS);
      const host = await startFixtureHost(folder, MADE_AT_MS, 2);
      assert.deepEqual(await describeHost(host), expected);
      await host.stop();
      await folder.close();
    });
  }

  test("is written on", async () => {
    const folder = await openDataFolder(root, OPTIONS);
    const host = await startFixtureHost(folder, MADE_AT_MS, 2);
    const orders = queueKey("orders");
    const before = host.status().messageCount;
    await host.execute({
      kind: "sendMessages",
      queue: orders,
      senderId: "AIDANEW",
      batch: false,
      entries: [entry("new")],
    });
    await host.stop();
    await folder.close();
    const again = await openDataFolder(root, OPTIONS);
    const reopened = await startFixtureHost(again, MADE_AT_MS, 3);
    assert.equal(reopened.status().messageCount, before + 1);
    assert.equal(Buffer.from((await reopened.inspect(orders))?.at(-1)?.content.body ?? []).toString(), "new");
    await reopened.stop();
    await again.close();
  });
});

test("a snapshot of something of everything is the same state", () => {
  const { state } = shardOfEverything();
  const restored = decodeSnapshot(Buffer.concat([...encodeSnapshot(state)]), { shard: 0, awsDelays: false });
  assert.equal(fingerprint(restored), fingerprint(state));
});

test("snapshots of one state in layouts 2 to 4 are the same state", async () => {
  const [second, third, fourth] = await Promise.all([2, 3, 4].map(restoreLayout));
  assert.equal(second, third);
  assert.equal(third, fourth);
});

async function restoreLayout(layout: number): Promise<string> {
  const bytes = await readFile(`tests/formats/snapshot-layout-${layout}.bin`);
  assert.equal(bytes.readUInt32LE(0), layout);
  return fingerprint(decodeSnapshot(bytes, { shard: 0, awsDelays: false }));
}
