// The logs that exist, held to the contract.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../src/base/random.ts";
import { type Disk, openMemoryStorage, openSegmentStorage, realDisk } from "../../src/log/index.ts";
import { TestDisk } from "../../src/log/test-disk.ts";
import { logContract, SEGMENT_BYTES, type StorageUnderTest } from "./log-contract.ts";

logContract("memory", { keeps: false }, async () => ({
  open: async () => openMemoryStorage(SEGMENT_BYTES),
  discard: async () => undefined,
}));

for (const durability of ["fsync", "os"] as const) {
  logContract(`segment files on a real disk, durability ${durability}`, { keeps: true }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "millpond-log-"));
    return segmentStorage(realDisk, folder, durability, () => rm(folder, { recursive: true }));
  });
}

for (const seed of [1, 2, 3]) {
  logContract(`segment files on a test disk, seed ${seed}`, { keeps: true }, async () =>
    segmentStorage(new TestDisk(new Random(seed)), "/data", "fsync", async () => undefined),
  );
}

function segmentStorage(
  disk: Disk,
  folder: string,
  durability: "fsync" | "os",
  discard: () => Promise<void>,
): StorageUnderTest {
  let writerId = 0;
  return {
    discard,
    open() {
      writerId += 1;
      return openSegmentStorage({ disk, folder, shard: 0, writerId, durability, segmentBytesMax: SEGMENT_BYTES });
    },
  };
}
