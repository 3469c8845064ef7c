// The data folder: whose it is, who may use it, what a look from outside finds.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type FaultCode, isFault } from "../../src/base/fault.ts";
import { Random } from "../../src/base/random.ts";
import { dumpEntries, openDataFolder, verifyFolder } from "../../src/log/index.ts";
import { TestDisk } from "../../src/log/test-disk.ts";
import { appendAll, collect, payloadOf, text } from "./log-tools.ts";

const OPTIONS = { shardCount: 1, durability: "fsync", segmentBytesMax: 64 * 1024 } as const;

async function assertRefused(opening: Promise<unknown>, code: FaultCode, words: RegExp): Promise<void> {
  await assert.rejects(opening, (error) => {
    assert.ok(isFault(error, code), String(error));
    assert.match(error.message, words);
    return true;
  });
}

describe("a data folder", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "millpond-folder-"));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  test("is made when it is not there, and keeps its number of shards", async () => {
    const path = join(root, "deep", "inside");
    const made = await openDataFolder(path, { ...OPTIONS, shardCount: 3 });
    assert.equal(made.shardCount, 3);
    await made.close();
    const again = await openDataFolder(path, OPTIONS);
    assert.equal(again.shardCount, 3);
    assert.equal(again.notes.length, 1);
    await again.close();
    const grown = await openDataFolder(path, { ...OPTIONS, shardCount: 5 });
    assert.equal(grown.shardCount, 5);
    await grown.close();
  });

  test("of a fresh volume may hold what file systems put there", async () => {
    await mkdir(join(root, "lost+found"));
    await (await openDataFolder(root, OPTIONS)).close();
  });

  test("with anything else in it is left alone", async () => {
    await writeFile(join(root, "photo.jpg"), "x");
    await assertRefused(openDataFolder(root, OPTIONS), "DataFolderForeign", /holds photo\.jpg/);
    await writeFile(join(root, "millpond.json"), '{"name":"a package"}');
    await assertRefused(openDataFolder(root, OPTIONS), "DataFolderForeign", /is not a Millpond marker/);
  });

  test("whose marker was cut short says so instead of being taken for foreign", async () => {
    const folder = await openDataFolder(root, OPTIONS);
    await (await folder.shardStorage(0)).log.close();
    await folder.close();
    const marker = await readFile(join(root, "millpond.json"), "utf8");
    await writeFile(join(root, "millpond.json"), marker.slice(0, 20));
    await assertRefused(openDataFolder(root, OPTIONS), "LogDamaged", /millpond\.json is damaged/);
  });

  test("of a newer Millpond is left alone", async () => {
    await (await openDataFolder(root, OPTIONS)).close();
    const marker = JSON.parse(await readFile(join(root, "millpond.json"), "utf8"));
    await writeFile(join(root, "millpond.json"), JSON.stringify({ ...marker, format: 2 }));
    await assertRefused(
      openDataFolder(root, OPTIONS),
      "FormatTooNew",
      /newer Millpond \(format 2; this one reads up to 1\)/,
    );
  });

  test("that is a file, or that may not be written to, is refused with a hint", async () => {
    await writeFile(join(root, "file"), "");
    await assertRefused(openDataFolder(join(root, "file"), OPTIONS), "DataFolderUnwritable", /cannot be written to/);
    // Root may write everywhere.
    if (process.getuid?.() === 0) return;
    await mkdir(join(root, "readonly"));
    await chmod(join(root, "readonly"), 0o555);
    await assertRefused(
      openDataFolder(join(root, "readonly"), OPTIONS),
      "DataFolderUnwritable",
      /cannot be written to/,
    );
  });

  test("has one user at a time, also within one process, also under another name", async () => {
    const folder = await openDataFolder(root, OPTIONS);
    folder.describe("http://127.0.0.1:4566");
    for (const name of [root, `${root}/../${root.split("/").at(-1)}`]) {
      await assertRefused(
        openDataFolder(name, OPTIONS),
        "DataFolderInUse",
        new RegExp(`process ${process.pid}, which serves http`),
      );
    }
    await folder.close();
    await (await openDataFolder(root, OPTIONS)).close();
  });

  test("whose user was killed is free at once", async () => {
    const door = new URL("../../src/log/index.js", import.meta.url).href;
    const script = `
      const { openDataFolder } = await import(${JSON.stringify(door)});
      await openDataFolder(${JSON.stringify(root)}, ${JSON.stringify(OPTIONS)});
      process.stdout.write("open");
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await assertRefused(openDataFolder(root, OPTIONS), "DataFolderInUse", new RegExp(`process ${child.pid}`));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    await (await openDataFolder(root, OPTIONS)).close();
  });
});

describe("a data folder through power cuts", () => {
  test("a cut at every single step of its making leaves a folder that opens, with all that was acknowledged", async () => {
    for (let changes = 0; ; changes++) {
      const disk = new TestDisk(new Random(changes));
      disk.stopAfter(changes);
      let acknowledged = 0;
      const make = async () => {
        const folder = await openDataFolder("/srv/data", { ...OPTIONS, shardCount: 2 }, disk);
        const { log } = await folder.shardStorage(1);
        await log.append(payloadOf("a"), 0, { epoch: 1, ownerTimeMs: 1, factCount: 1 });
        acknowledged = 1;
      };
      const isDone = await make().then(
        () => true,
        () => false,
      );
      disk.powerCut();
      const folder = await openDataFolder("/srv/data", { ...OPTIONS, shardCount: 2 }, disk);
      const { log } = await folder.shardStorage(1);
      assert.ok(log.tail() >= acknowledged);
      if (isDone) break;
    }
  });
});

describe("a look from outside", () => {
  const SMALL = { ...OPTIONS, segmentBytesMax: 1024 };

  test("finds every file of a closed folder in order, and no problem", async () => {
    const disk = new TestDisk(new Random(1));
    const folder = await openDataFolder("/data", { ...SMALL, shardCount: 2 }, disk);
    for (const shard of [0, 1]) {
      const { log, snapshots } = await folder.shardStorage(shard);
      await appendAll(log, Array(10).fill("x".repeat(200)));
      await snapshots.put(4, [payloadOf("state")]);
      await log.close();
    }
    await folder.close();
    const changesBefore = disk.counts.changes;
    const files = await collect(verifyFolder("/data", disk));
    assert.equal(disk.counts.changes, changesBefore, "nothing is changed");
    assert.deepEqual(
      files.map(({ problem }) => problem).filter((problem) => problem !== undefined),
      [],
    );
    assert.deepEqual(
      files.map(({ shard, kind }) => `${shard} ${kind}`),
      [0, 1].flatMap((shard) => [...Array(4).fill(`${shard} segment`), `${shard} snapshot`]),
    );
    assert.equal(
      files.reduce((sum, { entries }) => sum + entries, 0),
      20,
    );
  });

  test("tells each damaged file with its byte, and goes on with the others", async () => {
    const disk = new TestDisk(new Random(1));
    const folder = await openDataFolder("/data", SMALL, disk);
    const { log, snapshots } = await folder.shardStorage(0);
    await appendAll(log, Array(10).fill("x".repeat(200)));
    await snapshots.put(4, [payloadOf("state")]);
    await log.close();
    const names = (await disk.list("/data/shards/0000")).filter((name) => /\.mp[ls]$/.test(name)).sort();
    disk.flipBit(`/data/shards/0000/${names[0]}`, 3, 1);
    disk.flipBit(`/data/shards/0000/${names[1]}`, 500, 1);
    disk.flipBit(`/data/shards/0000/${names[2]}`, 70, 1);
    disk.flipBit(`/data/shards/0000/${names.at(-1)}`, 33, 1);
    const problems = (await collect(verifyFolder("/data", disk))).map(({ problem }) => problem);
    assert.match(problems[0] ?? "", /damaged at byte 0/);
    assert.match(problems[1] ?? "", /damaged at byte 392: entry 5/);
    assert.equal(problems[2], undefined, "a seal can be made again from what it seals");
    assert.match(problems.at(-1) ?? "", /its checksum is wrong/);
  });

  test("sees no damage and does not fail while the log is written, rolled, trimmed and recycled under it", async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const random = new Random(seed);
      const disk = new TestDisk(random.fork());
      const folder = await openDataFolder("/data", SMALL, disk);
      const { log, snapshots } = await folder.shardStorage(0);
      let isWriting = true;
      let looks = 0;
      const watch = async () => {
        while (isWriting) {
          for await (const file of verifyFolder("/data", disk)) assert.equal(file.problem, undefined, `seed ${seed}`);
          let last = 0;
          for await (const entry of dumpEntries("/data", {}, disk)) {
            assert.ok(entry.seq > last);
            last = entry.seq;
          }
          looks += 1;
        }
      };
      const write = async () => {
        for (let round = 0; round < 60; round++) {
          await appendAll(
            log,
            Array.from({ length: 1 + random.below(4) }, () => "x".repeat(random.below(400))),
          );
          if (random.chance(0.2)) await snapshots.put(log.tail(), [random.bytes(100)]);
          if (random.chance(0.3)) await log.trim(log.tail(), () => random.chance(0.7));
        }
        isWriting = false;
      };
      await Promise.all([watch(), watch(), write()]);
      assert.ok(looks > 2);
      await log.close();
      await folder.close();
    }
  });

  test("dumps a range of a folder whose first entries were trimmed", async () => {
    const disk = new TestDisk(new Random(1));
    const folder = await openDataFolder("/data", SMALL, disk);
    const { log } = await folder.shardStorage(0);
    await appendAll(
      log,
      Array.from({ length: 20 }, (_, index) => `${index + 1} `.padEnd(200, ".")),
    );
    await log.trim(9, () => true);
    const head = log.head();
    assert.ok(head > 1);
    const all = await collect(dumpEntries("/data", {}, disk));
    assert.deepEqual([all[0]?.seq, all.at(-1)?.seq, all.length], [head, 20, 21 - head]);
    const some = await collect(dumpEntries("/data", { shard: 0, from: 2, to: 12 }, disk));
    assert.deepEqual([some[0]?.seq, some.at(-1)?.seq], [head, 12]);
    assert.match(text(some.at(-1)), /^12 /);
    assert.deepEqual(await collect(dumpEntries("/data", { shard: 1 }, disk)), []);
    await log.close();
  });
});
