// Opening a shard's segment files. Every file but the last must be whole; the last one may end in a torn write, which
// is cut off. The argument, step by step:
//
//   1. A segment's header was synced before the file got its name: a file with a bad header is damaged.
//   2. A segment is sealed and synced before the next one gets its name. A sealed segment that another one follows is
//      taken at its word here and verified as it is read. One whose seal is not readable is walked: if it reaches the
//      entry and the chain that the next one begins with, it is sealed again, else it is damaged.
//   3. The last segment is walked, sealed or not: a seal there says that the log was closed, or that a crash fell
//      between the seal and the next segment. The walk stops where no sound next entry stands. That entry had been
//      synced, and so may have been acknowledged, if any of these says so: the seal; a sound entry behind that place,
//      whose writer knew; a snapshot that covers it (`storedSeq`). Then it was damaged: refuse, and change nothing.
//   4. Otherwise nothing behind that place was ever acknowledged as synced. Whole entries there are zeroed, and the
//      place where the next entry's header goes, so that nothing of it can ever be mistaken for an entry.
//   5. Entries that the walk found but nothing proves to be on disk may be in the system's cache only: their process
//      was killed before its sync, or its sync failed. They are written once more and synced, since from now on the
//      log counts them as its own. So are the names in the folder.
//
// A damaged very last entry that nothing else vouches for cannot be told from a torn write: the limit of one copy.

import { Fault } from "../../base/fault.ts";
import type { Disk } from "../disk.ts";
import type { EntrySeq } from "../log.ts";
import {
  CHAIN_START,
  type Chain,
  decodeSeal,
  decodeSegmentHeader,
  ENTRIES_OFFSET,
  ENTRY_HEADER_BYTES,
  encodeSeal,
  firstSeqOfFileName,
  isSameChain,
  SEGMENT_HEADER_BYTES,
  type Seal,
  type SegmentHeader,
  segmentFileName,
} from "./format.ts";
import { lookBehind, type ScanPlace, SegmentScan } from "./reader.ts";
import { SegmentFile } from "./segment-file.ts";

const COPY_BYTES = 4 * 1024 * 1024;

export interface RecoveredSegments {
  /** Oldest first; empty for a new shard. */
  segments: SegmentFile[];
  /** The chain after the last entry. */
  chain: Chain;
  /** Files that are no segments: recycled, or made ahead. */
  sparePaths: string[];
}

export interface FoundSegment {
  segment: SegmentFile;
  seal: Seal | undefined;
}

/** `storedSeq`: the last entry of which something outside the log knows that it was synced; 0 for none. */
export async function recoverSegments(
  disk: Disk,
  folder: string,
  shard: number,
  storedSeq: EntrySeq,
): Promise<RecoveredSegments> {
  const names = await disk.list(folder);
  const sparePaths = names.filter((name) => name.endsWith(".spare")).map((name) => `${folder}/${name}`);
  const found: FoundSegment[] = [];
  try {
    for (const firstSeq of firstSeqsIn(names)) found.push(await openSegment(disk, folder, shard, firstSeq, "write"));
    const unsealed: { segment: SegmentFile; chain: Chain }[] = [];
    for (const [index, { segment, seal }] of found.entries()) {
      const next = found[index + 1]?.segment.header;
      if (next === undefined) continue;
      if (seal !== undefined) checkSeal(segment, seal, next, await segment.file.size());
      else unsealed.push({ segment, chain: await walkToNext(segment, next) });
    }
    const last = found.at(-1);
    if (last === undefined && storedSeq > 0) {
      throw new Fault(
        "LogDamaged",
        `${folder} holds a snapshot of entry ${storedSeq} but no log. Restore this data folder from a backup.`,
      );
    }
    const chain =
      last === undefined ? CHAIN_START : await recoverLast(last.segment, Math.max(storedSeq, last.seal?.lastSeq ?? 0));
    for (const { segment, chain } of unsealed) await writeSeal(segment, chain);
    await disk.syncFolder(folder);
    return { segments: found.map(({ segment }) => segment), chain, sparePaths };
  } catch (error) {
    for (const { segment } of found) await segment.file.close().catch(() => undefined);
    throw error;
  }
}

/** Ascending. */
export function firstSeqsIn(names: string[]): EntrySeq[] {
  return names
    .map(firstSeqOfFileName)
    .filter((seq) => seq !== undefined)
    .sort((a, b) => a - b);
}

/** Opens one file and believes its seal for now. */
export async function openSegment(
  disk: Disk,
  folder: string,
  shard: number,
  firstSeq: EntrySeq,
  mode: "read" | "write",
): Promise<FoundSegment> {
  const path = `${folder}/${segmentFileName(firstSeq)}`;
  const file = await disk.open(path, mode);
  try {
    const start = Buffer.alloc(ENTRIES_OFFSET);
    const read = await file.read(start, 0);
    const header = checkedHeader(path, start.subarray(0, read), shard, firstSeq);
    const segment = new SegmentFile(path, file, header);
    const seal = decodeSeal(start.subarray(0, read));
    if (seal !== undefined) {
      segment.sealed = true;
      segment.lastSeq = seal.lastSeq;
      segment.end = seal.end;
    }
    return { segment, seal };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}

function checkedHeader(path: string, bytes: Buffer, shard: number, firstSeq: EntrySeq): SegmentHeader {
  const decoded = decodeSegmentHeader(bytes);
  if (decoded.is === "tooNew") {
    throw new Fault(
      "FormatTooNew",
      `${path} was written by a newer Millpond (segment format ${decoded.version}). Nothing was changed. Use that version.`,
    );
  }
  const problem = decoded.is === "damaged" ? decoded.problem : headerProblem(bytes, decoded.header, shard, firstSeq);
  if (decoded.is === "header" && problem === undefined) return decoded.header;
  throw new Fault(
    "LogDamaged",
    `${path} is damaged at byte 0: ${problem}. Nothing was changed. Restore this data folder from a backup.`,
  );
}

function headerProblem(bytes: Buffer, header: SegmentHeader, shard: number, firstSeq: EntrySeq): string | undefined {
  // Header and room for the seal were written at once. Without a seal there, entries could be missing unnoticed.
  if (bytes.length < ENTRIES_OFFSET) return `the file was cut short at byte ${bytes.length}, within its header`;
  if (header.shard !== shard) return `the segment belongs to shard ${header.shard}, not ${shard}`;
  if (header.firstSeq !== firstSeq) return `the segment begins at entry ${header.firstSeq}, not where its name says`;
  return undefined;
}

/** Answers the chain after a segment whose seal is not readable, if it goes exactly up to the next one. */
async function walkToNext(segment: SegmentFile, next: SegmentHeader): Promise<Chain> {
  const place = await walk(segment, segment.start, await segment.file.size());
  if (place.seq !== next.firstSeq || !isSameChain(place.chain, next.chain)) throw damagedSeal(segment, place, next);
  segment.sealed = true;
  return place.chain;
}

export function damagedSeal(segment: SegmentFile, place: ScanPlace, next: SegmentHeader): Fault {
  return segment.damaged(
    place.position,
    `entry ${place.seq} is not readable, nor is the seal at byte ${SEGMENT_HEADER_BYTES}, and the next file begins at entry ${next.firstSeq}`,
  );
}

/** Does what the seal says fit the file and the next segment? */
export function checkSeal(segment: SegmentFile, seal: Seal, next: SegmentHeader, fileBytes: number): void {
  if (seal.end > fileBytes)
    throw segment.damaged(fileBytes, `the file was cut short: it had entries up to byte ${seal.end}`);
  const isFollowed = seal.lastSeq + 1 === next.firstSeq;
  if (seal.lastSeq >= next.firstSeq || (isFollowed && !isSameChain(seal.chain, next.chain))) {
    throw segment.damaged(
      SEGMENT_HEADER_BYTES,
      `it ends with entry ${seal.lastSeq}, which does not fit the next file, which begins at entry ${next.firstSeq}`,
    );
  }
}

/** Answers the chain after the segment's last entry. */
async function recoverLast(segment: SegmentFile, storedSeq: EntrySeq): Promise<Chain> {
  segment.sealed = false;
  const end = await segment.file.size();
  let syncedSeq = segment.firstSeq - 1;
  const place = await walk(segment, segment.start, end, (known) => {
    syncedSeq = known;
  });
  const behind = await lookBehind(segment.file, segment.header, place, end);
  if (behind.proof !== undefined) throw damagedBefore(segment, place, behind.proof.seq);
  if (place.seq <= storedSeq) {
    throw segment.damaged(
      place.position,
      `entry ${place.seq} is not readable although the entries up to ${storedSeq} had been stored`,
    );
  }
  // The header of a torn entry goes too: a torn write over it could complete it.
  await zero(segment, place.position, Math.max(behind.soundEnd, Math.min(place.position + ENTRY_HEADER_BYTES, end)));
  // A write that was cut short within the last entry's padding left all of the entry: the file must not end before it.
  await zero(segment, end, place.position);
  // What is proven already costs nothing to leave alone: then only the killed process's unfinished sync is made up for.
  const unproven = segment.positionOf(Math.max(syncedSeq, storedSeq) + 1) ?? place.position;
  await rewrite(segment, unproven, place.position);
  await segment.file.datasync();
  return place.chain;
}

export function damagedBefore(segment: SegmentFile, place: ScanPlace, proofSeq: EntrySeq): Fault {
  return segment.damaged(
    place.position,
    `entry ${place.seq} is not readable although entry ${proofSeq} behind it shows that it had been stored`,
  );
}

/** Notes each entry; the segment's last entry and end are then where the walk stopped. */
export async function walk(
  segment: SegmentFile,
  from: ScanPlace,
  end: number,
  visit: (syncedSeq: EntrySeq) => void = () => undefined,
): Promise<ScanPlace> {
  const scan = new SegmentScan(segment.file, segment.header, from, end);
  for await (const { header, position } of scan.entries()) {
    segment.note(header.seq, position);
    visit(header.syncedSeq);
  }
  segment.lastSeq = scan.place.seq - 1;
  segment.end = scan.place.position;
  return scan.place;
}

/** The caller has synced the segment's entries. Durable when it resolves. */
export async function writeSeal(segment: SegmentFile, chain: Chain): Promise<void> {
  const { lastSeq, end, file } = segment;
  await file.write([encodeSeal({ lastSeq, end, chain })], SEGMENT_HEADER_BYTES);
  await file.datasync();
}

async function zero(segment: SegmentFile, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += COPY_BYTES) {
    await segment.file.write([Buffer.alloc(Math.min(COPY_BYTES, to - position))], position);
  }
}

async function rewrite(segment: SegmentFile, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += COPY_BYTES) {
    const bytes = Buffer.allocUnsafeSlow(Math.min(COPY_BYTES, to - position));
    const read = await segment.file.read(bytes, position);
    await segment.file.write([bytes.subarray(0, read)], position);
  }
}
