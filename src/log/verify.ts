// Reading a data folder without owning it, server running or not: is every byte what was written, and what do the
// entries hold? Nothing is changed, and the unfinished end of a log that is being written is no damage.

import { Fault, isFault } from "../base/fault.ts";
import { readMarker, shardFolder } from "./data-folder.ts";
import { realDisk } from "./disk.ts";
import type { Entry, EntrySeq } from "./log.ts";
import { recoverSegments } from "./segment/recovery.ts";
import type { SegmentFile } from "./segment/segment-file.ts";
import { openSnapshotFiles } from "./snapshot-files.ts";

export interface VerifiedFile {
  shard: number;
  kind: "segment" | "snapshot";
  file: string;
  firstSeq: EntrySeq;
  lastSeq: EntrySeq;
  entries: number;
  bytes: number;
  /** What is wrong, with file and byte; absent when all is well. */
  problem?: string;
}

/** One finding per file, oldest first. Throws a Fault when the folder is no data folder. */
export async function* verifyFolder(path: string): AsyncGenerator<VerifiedFile> {
  for (let shard = 0; shard < shardCountOf(path); shard++) {
    yield* verifySegments(path, shard);
    yield* verifySnapshots(path, shard);
  }
}

export interface DumpedEntry extends Entry {
  shard: number;
  file: string;
}

/** Entries in order, verified. Stops with a Fault LogDamaged at the first that is not what was written. */
export async function* dumpEntries(
  path: string,
  range: { shard?: number; from?: EntrySeq; to?: EntrySeq } = {},
): AsyncGenerator<DumpedEntry> {
  const { from = 1, to = Number.POSITIVE_INFINITY } = range;
  for (let shard = 0; shard < shardCountOf(path); shard++) {
    if (range.shard !== undefined && range.shard !== shard) continue;
    for (const segment of await segmentsOf(path, shard)) {
      for await (const entry of segment.read(Math.max(from, segment.firstSeq))) {
        if (entry.seq > to) break;
        yield { ...entry, shard, file: segment.path };
      }
      await segment.file.close();
    }
  }
}

function shardCountOf(path: string): number {
  const marker = readMarker(path);
  if (marker === undefined) throw new Fault("DataFolderForeign", `${path} is not a Millpond data folder: it is empty or does not exist.`);
  return marker.shardCount;
}

async function segmentsOf(path: string, shard: number): Promise<SegmentFile[]> {
  return (await recoverSegments(realDisk, shardFolder(path, shard), shard, false))?.segments ?? [];
}

async function* verifySegments(path: string, shard: number): AsyncGenerator<VerifiedFile> {
  let segments: SegmentFile[];
  try {
    segments = await segmentsOf(path, shard);
  } catch (error) {
    if (!isFault(error)) throw error;
    yield { shard, kind: "segment", file: shardFolder(path, shard), firstSeq: 0, lastSeq: 0, entries: 0, bytes: 0, problem: error.message };
    return;
  }
  for (const segment of segments) {
    const { firstSeq, lastSeq, bytes } = segment.info;
    const finding: VerifiedFile = { shard, kind: "segment", file: segment.path, firstSeq, lastSeq, entries: 0, bytes };
    try {
      for await (const _ of segment.read(firstSeq)) finding.entries += 1;
    } catch (error) {
      if (!isFault(error)) throw error;
      finding.problem = error.message;
    }
    await segment.file.close();
    yield finding;
  }
}

async function* verifySnapshots(path: string, shard: number): AsyncGenerator<VerifiedFile> {
  const snapshots = await openSnapshotFiles(realDisk, shardFolder(path, shard), shard, false);
  for (const ref of await snapshots.list()) {
    const file = `${shardFolder(path, shard)}/snapshot-${String(ref.seq).padStart(20, "0")}.mps`;
    const finding: VerifiedFile = { shard, kind: "snapshot", file, firstSeq: ref.seq, lastSeq: ref.seq, entries: 0, bytes: ref.bytes };
    try {
      await snapshots.get(ref);
    } catch (error) {
      if (!isFault(error)) throw error;
      finding.problem = error.message;
    }
    yield finding;
  }
}
