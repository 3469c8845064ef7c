// A shard's folder as its owner sees it: the log and the snapshots, each with what it needs to know of the other.

import type { ShardStorage } from "./log.ts";
import { openSegmentLog, type SegmentLogOptions } from "./segment/segment-log.ts";
import { snapshotFiles, snapshotSeqs, tidySnapshots } from "./snapshot-files.ts";

export type SegmentStorageOptions = Omit<SegmentLogOptions, "storedSeq">;

/** Throws Faults: LogDamaged naming file and byte, FormatTooNew, DiskFull, DiskFailed. */
export async function openSegmentStorage(options: SegmentStorageOptions): Promise<ShardStorage> {
  const { disk, folder, shard } = options;
  await disk.makeFolder(folder);
  await tidySnapshots(disk, folder);
  // A snapshot is written only of what the log has synced: a log that ends before it has lost something.
  const storedSeq = (await snapshotSeqs(disk, folder))[0] ?? 0;
  const log = await openSegmentLog({ ...options, storedSeq });
  return { log, snapshots: snapshotFiles(disk, folder, shard, () => log.sync()) };
}
