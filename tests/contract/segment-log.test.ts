// The segment log beyond the contract: how often it touches the disk, what it does when there is no room, and what it
// finds when bytes changed behind its back.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isFault } from "../../src/base/fault.ts";
import { Random } from "../../src/base/random.ts";
import { openSegmentStorage, type ShardStorage } from "../../src/log/index.ts";
import { TestDisk } from "../../src/log/test-disk.ts";
import { appendAll, collect, payloadOf, stamp, text } from "./log-tools.ts";

const FOLDER = "/data/shards/0000";
const SEGMENT_BYTES = 2048;

function openOn(
  disk: TestDisk,
  options: { durability?: "fsync" | "os"; segmentBytesMax?: number } = {},
): Promise<ShardStorage> {
  return openSegmentStorage({
    disk,
    folder: FOLDER,
    shard: 0,
    writerId: 1,
    durability: "fsync",
    segmentBytesMax: SEGMENT_BYTES,
    ...options,
  });
}

function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `entry ${index + 1} `.padEnd(300, "."));
}

describe("what a segment log asks of the disk", () => {
  test("appends of one turn are one write and one sync", async () => {
    const disk = new TestDisk(new Random(1));
    const { log } = await openOn(disk, { segmentBytesMax: 1024 * 1024 });
    const before = { ...disk.counts };
    await Promise.all(texts(500).map((body, index) => log.append(payloadOf(body), index, stamp)));
    assert.deepEqual([disk.counts.writes - before.writes, disk.counts.syncs - before.syncs], [1, 1]);
  });

  test("appends that arrive while one is being synced share the next sync", async () => {
    const disk = new TestDisk(new Random(1));
    const { log } = await openOn(disk, { segmentBytesMax: 1024 * 1024 });
    const before = disk.counts.syncs;
    const first = log.append(payloadOf("first"), 0, stamp);
    while (disk.counts.writes < 3) await Promise.resolve();
    const others = texts(50).map((body, index) => log.append(payloadOf(body), index + 1, stamp));
    await Promise.all([first, ...others]);
    assert.equal(disk.counts.syncs - before, 2);
  });

  test("durability os does not sync until it must", async () => {
    const disk = new TestDisk(new Random(1));
    const { log, snapshots } = await openOn(disk, { durability: "os", segmentBytesMax: 1024 * 1024 });
    const before = disk.counts.syncs;
    await appendAll(log, texts(50));
    assert.equal(disk.counts.syncs, before);
    await snapshots.put(50, [payloadOf("state")]);
    disk.powerCut();
    assert.equal((await openOn(disk)).log.tail(), 50, "a snapshot is never ahead of its log");
  });

  test("a recycled segment file is written again instead of a new one", async () => {
    const disk = new TestDisk(new Random(1));
    const { log } = await openOn(disk);
    for (let round = 0; round < 20; round++) {
      await appendAll(log, texts(10));
      await log.trim(log.tail(), () => true);
    }
    assert.ok(disk.usedBytes <= 4 * SEGMENT_BYTES, `${disk.usedBytes} bytes are used`);
    assert.equal((await collect(log.read(log.head()))).at(-1)?.seq, 200);
  });

  test("a reader whose log is closed meanwhile hears that, and not of damage", async () => {
    const disk = new TestDisk(new Random(1));
    const { log } = await openOn(disk);
    await appendAll(log, texts(30));
    const reader = log.read(1)[Symbol.asyncIterator]();
    await reader.next();
    await log.close();
    await assert.rejects(
      (async () => {
        while (!(await reader.next()).done);
      })(),
      (error) => isFault(error, "ShardStopped"),
    );
  });
});

describe("a segment log on a full disk", () => {
  test("says how much certainly fits, keeps that promise, and goes on when there is room again", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const disk = new TestDisk(new Random(seed));
      const { log } = await openOn(disk, { segmentBytesMax: 16 * 1024 });
      await appendAll(log, texts(4));
      disk.bytesMax = disk.usedBytes + new Random(seed).below(40 * 1024);
      for (;;) {
        const { diskFull, bytesReady } = log.room();
        if (diskFull && bytesReady < 368) break;
        await appendAll(log, ["".padEnd(300)]);
      }
      const tail = log.tail();
      disk.bytesMax = Number.POSITIVE_INFINITY;
      while (log.room().diskFull) await new Promise((resolve) => setImmediate(resolve));
      await appendAll(log, texts(60));
      assert.equal(log.tail(), tail + 60);
    }
  });

  test("an append without room breaks the log; what was acknowledged is found when there is room again", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const disk = new TestDisk(new Random(seed));
      const { log } = await openOn(disk);
      disk.bytesMax = disk.usedBytes + new Random(seed).below(2 * SEGMENT_BYTES);
      await assert.rejects(appendAll(log, texts(60)), (error) => isFault(error, "DiskFull"));
      const tail = log.tail();
      await log.close();
      disk.bytesMax = Number.POSITIVE_INFINITY;
      const reopened = (await openOn(disk)).log;
      assert.ok(reopened.tail() === tail || reopened.tail() === tail + 1);
      assert.equal((await collect(reopened.read(1))).length, reopened.tail());
      await appendAll(reopened, texts(20));
    }
  });

  test("a trim makes room", async () => {
    const disk = new TestDisk(new Random(1));
    const { log } = await openOn(disk);
    await appendAll(log, texts(20));
    disk.bytesMax = disk.usedBytes;
    for (let round = 0; round < 10; round++) {
      await log.trim(log.tail(), () => true);
      await appendAll(log, texts(4));
    }
  });
});

describe("a segment log whose bytes changed", () => {
  /** Three segments and a snapshot of entry 12; closed. */
  async function closedLog(): Promise<{ disk: TestDisk; bodies: string[]; names: string[] }> {
    const disk = new TestDisk(new Random(7));
    const { log, snapshots } = await openOn(disk);
    const bodies = texts(14);
    await appendAll(log, bodies);
    await snapshots.put(12, [payloadOf("the state at entry 12")]);
    await log.close();
    const names = (await disk.list(FOLDER)).filter((name) => !name.endsWith(".spare"));
    assert.equal(names.length, 4);
    return { disk, bodies, names };
  }

  test("one flipped bit anywhere is refused with file and byte, or nothing depended on it; it is never served as good", async () => {
    const { disk, bodies, names } = await closedLog();
    const seen = { refusedAtOpen: 0, refusedAtRead: 0, harmless: 0 };
    for (const name of names) {
      const path = `${FOLDER}/${name}`;
      const size = disk.contents(path).length;
      for (let byte = 0; byte < size; byte += byte < 400 ? 1 : 7) {
        disk.flipBit(path, byte, byte % 8);
        seen[await consequence(disk, path, bodies)] += 1;
        disk.flipBit(path, byte, byte % 8);
      }
    }
    assert.ok(seen.refusedAtOpen > 50 && seen.refusedAtRead > 300 && seen.harmless > 100, JSON.stringify(seen));
  });

  /** What opening and reading everything comes to. Nothing is left changed but what an opening may heal. */
  async function consequence(
    disk: TestDisk,
    path: string,
    bodies: string[],
  ): Promise<"refusedAtOpen" | "refusedAtRead" | "harmless"> {
    const isExpected = (error: unknown) => {
      const names = isFault(error, "LogDamaged") && error.message.includes(path);
      assert.ok(names && (path.endsWith(".mps") || /at byte \d+/.test(error.message)), String(error));
      return true;
    };
    let storage: ShardStorage;
    try {
      storage = await openOn(disk);
    } catch (error) {
      isExpected(error);
      return "refusedAtOpen";
    }
    const { log, snapshots } = storage;
    let refusedCount = 0;
    const careful = async (read: () => Promise<void>) => {
      try {
        await read();
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        isExpected(error);
        refusedCount += 1;
      }
    };
    assert.equal(log.tail(), bodies.length);
    await careful(async () => {
      let count = 0;
      for await (const entry of log.read(1)) assert.equal(text(entry), bodies[count++]);
      assert.equal(count, bodies.length);
    });
    for (const [index, body] of bodies.entries()) {
      await careful(async () => assert.equal(text(await log.readEntry(index + 1)), body));
    }
    for (const ref of await snapshots.list()) {
      await careful(async () =>
        assert.equal(Buffer.from(await snapshots.get(ref)).toString(), "the state at entry 12"),
      );
    }
    disk.kill();
    return refusedCount > 0 ? "refusedAtRead" : "harmless";
  }

  test("a damaged entry in the middle of the newest segment is refused, not taken for its end", async () => {
    const disk = new TestDisk(new Random(1));
    await appendAll((await openOn(disk, { segmentBytesMax: 65536 })).log, texts(10));
    disk.kill();
    const path = `${FOLDER}/00000000000000000001.mpl`;
    disk.flipBit(path, 128 + 5 * 368 + 100, 0);
    const before = Buffer.from(disk.contents(path));
    await assert.rejects(openOn(disk), (error) => {
      assert.ok(isFault(error, "LogDamaged"));
      assert.match(
        error.message,
        /00000000000000000001\.mpl is damaged at byte 1968: entry 6 is not readable although entry \d+/,
      );
      return true;
    });
    assert.ok(before.equals(disk.contents(path)), "nothing was changed");
  });

  test("a damaged last entry of a killed log looks torn, unless a snapshot covers it", async () => {
    for (const isCovered of [false, true]) {
      const disk = new TestDisk(new Random(1));
      const { log, snapshots } = await openOn(disk, { segmentBytesMax: 65536 });
      await appendAll(log, texts(10));
      if (isCovered) await snapshots.put(10, [payloadOf("state")]);
      disk.kill();
      disk.flipBit(`${FOLDER}/00000000000000000001.mpl`, 128 + 9 * 368 + 100, 0);
      if (isCovered) await assert.rejects(openOn(disk), (error) => isFault(error, "LogDamaged"));
      else assert.equal((await openOn(disk)).log.tail(), 9);
    }
  });

  test("a seal that is not readable is written again when the next segment begins where the walk ends", async () => {
    const { disk, names } = await closedLog();
    const path = `${FOLDER}/${names[0]}`;
    const whole = Buffer.from(disk.contents(path));
    disk.flipBit(path, 64, 3);
    assert.equal((await openOn(disk)).log.tail(), 14);
    assert.ok(whole.equals(disk.contents(path)));
  });

  test("a file that was cut short is refused", async () => {
    const { disk, names } = await closedLog();
    disk.truncate(`${FOLDER}/${names[0]}`, 1000);
    await assert.rejects(
      openOn(disk),
      (error) => isFault(error, "LogDamaged") && /at byte 1000: the file was cut short/.test(error.message),
    );
  });

  test("a write that was cut short within the last entry's padding left the whole entry, and the log goes on", async () => {
    // The entry is larger than a segment, so its file ends where it does.
    const body = "x".repeat(SEGMENT_BYTES + 1);
    const disk = new TestDisk(new Random(1));
    await appendAll((await openOn(disk)).log, [body]);
    disk.kill();
    const path = `${FOLDER}/00000000000000000001.mpl`;
    disk.truncate(path, disk.contents(path).length - 3);
    const { log } = await openOn(disk);
    assert.equal(text(await log.readEntry(1)), body);
    await appendAll(log, texts(10));
    await log.close();
    const again = (await openOn(disk)).log;
    assert.deepEqual((await collect(again.read(1))).map(text), [body, ...texts(10)]);
    assert.equal(text(await again.readEntry(1)), body);
  });

  test("a log without its files is refused when a snapshot knows better", async () => {
    const { disk, names } = await closedLog();
    for (const name of names) if (name.endsWith(".mpl")) await disk.remove(`${FOLDER}/${name}`);
    await assert.rejects(
      openOn(disk),
      (error) => isFault(error, "LogDamaged") && /snapshot of entry 12 but no log/.test(error.message),
    );
  });

  test("a log of another shard is refused", async () => {
    const { disk } = await closedLog();
    const options = {
      disk,
      folder: FOLDER,
      shard: 1,
      writerId: 1,
      durability: "fsync",
      segmentBytesMax: 2048,
    } as const;
    await assert.rejects(
      openSegmentStorage(options),
      (error) => isFault(error, "LogDamaged") && /belongs to shard 0/.test(error.message),
    );
  });

  test("an entry inside a payload is never taken for one, nor for proof of damage", async () => {
    const disk = new TestDisk(new Random(1));
    const { log } = await openOn(disk, { segmentBytesMax: 1024 * 1024 });
    await appendAll(log, texts(10));
    // Whole entries of another log, at every alignment, in an entry that then tears at its header.
    const other = new TestDisk(new Random(2));
    await appendAll(
      (
        await openSegmentStorage({
          disk: other,
          folder: FOLDER,
          shard: 0,
          writerId: 2,
          durability: "fsync",
          segmentBytesMax: 1024 * 1024,
        })
      ).log,
      texts(30),
    );
    const foreign = other.contents(`${FOLDER}/00000000000000000001.mpl`).subarray(128, 8192);
    const payload = Buffer.concat(Array.from({ length: 8 }, (_, shift) => [Buffer.alloc(shift), foreign]).flat());
    await log.append(payload, 10, stamp);
    disk.kill();
    disk.flipBit(`${FOLDER}/00000000000000000001.mpl`, 128 + 10 * 368 + 20, 0);
    assert.equal((await openOn(disk)).log.tail(), 10);
  });
});
