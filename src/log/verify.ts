// Reading a data folder without owning it, server running or not: is every byte what was written, and what do the
// entries hold? Nothing is changed. Beside a running server three things are no damage: the unfinished end of the log,
// entries that appear between two looks, and files that go while they are being read (trimmed, or made another
// segment: a file is renamed before it is written to again, so what its name no longer stands for need not be sound).

import { Fault, isFault } from "../base/fault.ts";
import { readMarker, shardFolder } from "./data-folder.ts";
import { type Disk, realDisk } from "./disk.ts";
import type { Entry, EntrySeq } from "./log.ts";
import { segmentFileName } from "./segment/format.ts";
import { lookBehind } from "./segment/reader.ts";
import {
  checkSeal,
  damagedBefore,
  damagedSeal,
  type FoundSegment,
  firstSeqsIn,
  openSegment,
  walk,
} from "./segment/recovery.ts";
import { snapshotFileName, snapshotFiles, snapshotSeqs } from "./snapshot-files.ts";

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
export async function* verifyFolder(path: string, disk: Disk = realDisk): AsyncGenerator<VerifiedFile> {
  const shardCount = await shardCountOf(path, disk);
  for (let shard = 0; shard < shardCount; shard++) {
    yield* verifySegments(disk, shardFolder(path, shard), shard);
    yield* verifySnapshots(disk, shardFolder(path, shard), shard);
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
  disk: Disk = realDisk,
): AsyncGenerator<DumpedEntry> {
  const { from = 1, to = Number.POSITIVE_INFINITY } = range;
  const shardCount = await shardCountOf(path, disk);
  for (let shard = 0; shard < shardCount; shard++) {
    if (range.shard !== undefined && range.shard !== shard) continue;
    const folder = shardFolder(path, shard);
    const firstSeqs = firstSeqsIn(await disk.list(folder));
    for (const [index, firstSeq] of firstSeqs.entries()) {
      const nextFirstSeq = firstSeqs[index + 1];
      const isWanted = firstSeq <= to && (nextFirstSeq === undefined || nextFirstSeq > from);
      if (isWanted) yield* dumpSegment(disk, folder, shard, firstSeq, nextFirstSeq, Math.max(from, firstSeq), to);
    }
  }
}

async function* dumpSegment(
  disk: Disk,
  folder: string,
  shard: number,
  firstSeq: EntrySeq,
  nextFirstSeq: EntrySeq | undefined,
  from: EntrySeq,
  to: EntrySeq,
): AsyncGenerator<DumpedEntry> {
  const file = `${folder}/${segmentFileName(firstSeq)}`;
  let found: FoundSegment | undefined;
  try {
    found = await openSegment(disk, folder, shard, firstSeq, "read");
    await findEnd(disk, folder, found, nextFirstSeq);
    for await (const entry of found.segment.read(from)) {
      if (entry.seq > to) return;
      yield { ...entry, shard, file };
    }
  } catch (error) {
    if (await isHere(disk, folder, segmentFileName(firstSeq))) throw error;
  } finally {
    await found?.segment.file.close();
  }
}

async function shardCountOf(path: string, disk: Disk): Promise<number> {
  const marker = await readMarker(path, disk);
  if (marker === undefined)
    throw new Fault("DataFolderForeign", `${path} is not a Millpond data folder: it is empty or does not exist.`);
  return marker.shardCount;
}

async function* verifySegments(disk: Disk, folder: string, shard: number): AsyncGenerator<VerifiedFile> {
  const firstSeqs = firstSeqsIn(await disk.list(folder));
  for (const [index, firstSeq] of firstSeqs.entries()) {
    const name = segmentFileName(firstSeq);
    const file = `${folder}/${name}`;
    const finding: VerifiedFile = {
      shard,
      kind: "segment",
      file,
      firstSeq,
      lastSeq: firstSeq - 1,
      entries: 0,
      bytes: 0,
    };
    const problem = await problemOf(disk, folder, name, async () => {
      const found = await openSegment(disk, folder, shard, firstSeq, "read");
      try {
        await findEnd(disk, folder, found, firstSeqs[index + 1]);
        Object.assign(finding, { lastSeq: found.segment.lastSeq, bytes: found.segment.info.bytes });
        for await (const _ of found.segment.read(firstSeq)) finding.entries += 1;
      } finally {
        await found.segment.file.close();
      }
    });
    if (problem === "gone") continue;
    yield problem === undefined ? finding : { ...finding, problem };
  }
}

async function* verifySnapshots(disk: Disk, folder: string, shard: number): AsyncGenerator<VerifiedFile> {
  const snapshots = snapshotFiles(disk, folder, shard);
  for (const seq of await snapshotSeqs(disk, folder)) {
    const name = snapshotFileName(seq);
    const file = `${folder}/${name}`;
    const finding: VerifiedFile = { shard, kind: "snapshot", file, firstSeq: seq, lastSeq: seq, entries: 0, bytes: 0 };
    const problem = await problemOf(disk, folder, name, async () => {
      const opened = await disk.open(file, "read");
      finding.bytes = await opened.size().finally(() => opened.close());
      await snapshots.get({ seq, bytes: finding.bytes });
    });
    if (problem === "gone") continue;
    yield problem === undefined ? finding : { ...finding, problem };
  }
}

/** How far a segment goes: to its seal when another one follows, else as far as entries can be read. */
async function findEnd(
  disk: Disk,
  folder: string,
  found: FoundSegment,
  nextFirstSeq: EntrySeq | undefined,
): Promise<void> {
  const { segment, seal } = found;
  if (nextFirstSeq === undefined) return findOpenEnd(found);
  const next = await headerOf(disk, folder, segment.header.shard, nextFirstSeq);
  const end = await segment.file.size();
  if (seal !== undefined) {
    if (next !== undefined) checkSeal(segment, seal, next, end);
    return;
  }
  const place = await walk(segment, segment.start, end);
  if (next !== undefined && place.seq !== next.firstSeq) throw damagedSeal(segment, place, next);
}

async function findOpenEnd({ segment, seal }: FoundSegment): Promise<void> {
  let place = segment.start;
  for (;;) {
    const end = await segment.file.size();
    const stopped = await walk(segment, place, end);
    const hasGrown = stopped.seq > place.seq;
    place = stopped;
    const { proof } = await lookBehind(segment.file, segment.header, place, end);
    if (proof === undefined) break;
    // The missing entry may have been written between the walk and the look behind it: walk on from there.
    if (!hasGrown) throw damagedBefore(segment, place, proof.seq);
  }
  if (seal !== undefined && place.seq <= seal.lastSeq) throw damagedBefore(segment, place, seal.lastSeq);
}

/** Undefined when the next segment went meanwhile, or is damaged: that is its own finding. */
async function headerOf(disk: Disk, folder: string, shard: number, firstSeq: EntrySeq) {
  try {
    const { segment } = await openSegment(disk, folder, shard, firstSeq, "read");
    await segment.file.close();
    return segment.header;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** What a check found wrong with a file; "gone" when it is no longer there and nothing can be said about it. */
async function problemOf(
  disk: Disk,
  folder: string,
  name: string,
  check: () => Promise<void>,
): Promise<string | "gone" | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    return (await isHere(disk, folder, name)) ? error.message : "gone";
  }
}

async function isHere(disk: Disk, folder: string, name: string): Promise<boolean> {
  return (await disk.list(folder)).includes(name);
}
