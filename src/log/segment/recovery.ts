// Opening a shard's segment files. Every file but the last must be whole; the last one may end in a torn write, which
// is cut off. The argument, step by step:
//
//   1. A segment's header was synced before the file got its name: a file with a bad header is damaged.
//   2. A segment is sealed before the next one begins, and all its entries were synced before that. A sealed segment
//      is taken at its word here and verified as it is read. One without a seal that is not the last (a crash fell
//      between) is walked and must reach the next one's first entry.
//   3. The last segment is walked. The walk stops where no sound next entry stands. If a sound entry behind that place
//      says that the missing one had been durable when it was written, something acknowledged was damaged: refuse.
//      Else nothing behind it was ever acknowledged: it is zeroed, so that it can never be mistaken for an entry.
//
// A damaged very last acknowledged entry cannot be told from a torn write. That is the limit of a single copy.

import { Fault } from "../../base/fault.ts";
import type { Disk } from "../disk.ts";
import type { EntrySeq } from "../log.ts";
import {
  type Chain,
  decodeSeal,
  decodeSegmentHeader,
  ENTRIES_OFFSET,
  ENTRY_BYTES_MAX,
  encodeSeal,
  firstSeqOfFileName,
  SEGMENT_HEADER_BYTES,
} from "./format.ts";
import { findProofOfDamage, type ScanPlace, SegmentScan } from "./reader.ts";
import { SegmentFile } from "./segment-file.ts";

export interface RecoveredSegments {
  /** Oldest first; empty for a new shard. */
  segments: SegmentFile[];
  /** The chain after the last entry. */
  chain: Chain;
  /** Recycled files, ready to become segments. */
  sparePaths: string[];
}

/** `repair: false` only looks: for verification beside a running server. */
export async function recoverSegments(
  disk: Disk,
  folder: string,
  shard: number,
  repair: boolean,
): Promise<RecoveredSegments | undefined> {
  const names = await disk.list(folder);
  const sparePaths = names.filter((name) => name.endsWith(".spare")).map((name) => `${folder}/${name}`);
  const firstSeqs = names.map(firstSeqOfFileName).filter((seq) => seq !== undefined);
  firstSeqs.sort((a, b) => a - b);
  const segments: SegmentFile[] = [];
  try {
    for (const firstSeq of firstSeqs) segments.push(await openSegment(disk, folder, shard, firstSeq, repair));
    let chain: Chain | undefined;
    for (const [index, segment] of segments.entries()) {
      chain = await recoverSegment(segment, segments[index + 1], repair);
    }
    return chain === undefined ? undefined : { segments, chain, sparePaths };
  } catch (error) {
    for (const segment of segments) await segment.file.close().catch(() => undefined);
    throw error;
  }
}

async function openSegment(
  disk: Disk,
  folder: string,
  shard: number,
  firstSeq: EntrySeq,
  repair: boolean,
): Promise<SegmentFile> {
  const path = `${folder}/${String(firstSeq).padStart(20, "0")}.mpl`;
  const file = await disk.open(path, repair ? "write" : "read");
  const start = Buffer.alloc(ENTRIES_OFFSET);
  const read = await file.read(start, 0);
  const header = decodeSegmentHeader(start.subarray(0, read));
  const problem =
    typeof header === "string"
      ? header
      : header.shard !== shard
        ? `the segment belongs to shard ${header.shard}, not ${shard}`
        : header.firstSeq !== firstSeq
          ? `the segment begins at entry ${header.firstSeq}, not where its name says`
          : undefined;
  if (problem !== undefined || typeof header === "string") {
    await file.close();
    throw new Fault(
      problem?.includes("not known to this version") ? "FormatTooNew" : "LogDamaged",
      `${path} is damaged at byte 0: ${problem}. Nothing was changed. Restore this data folder from a backup.`,
    );
  }
  const segment = new SegmentFile(path, file, shard, firstSeq, header.chain);
  const seal = decodeSeal(start);
  if (seal !== undefined) {
    segment.sealed = true;
    segment.lastSeq = seal.lastSeq;
    segment.end = seal.end;
  }
  return segment;
}

/** Answers the chain after the segment's last entry. */
async function recoverSegment(segment: SegmentFile, next: SegmentFile | undefined, repair: boolean): Promise<Chain> {
  if (segment.sealed && next !== undefined) return next.firstChain;
  // The seal of a last segment was the beginning of a roll that a crash cut short.
  segment.sealed = false;
  let place: ScanPlace = { position: ENTRIES_OFFSET, seq: segment.firstSeq, chain: segment.firstChain };
  for (;;) {
    const end = await segment.file.size();
    const stopped = await walk(segment, place, end);
    const hasMoved = stopped.seq > place.seq;
    place = stopped;
    if (next !== undefined) return sealSegment(segment, next, place.chain, repair);
    const proof = await findProofOfDamage(segment.file, segment.shard, place, end);
    if (proof === undefined) {
      if (repair) await zeroBehind(segment, end);
      return place.chain;
    }
    // Beside a running server the log may have grown between the walk and the look behind it: walk on.
    if (!repair && hasMoved) continue;
    throw segment.damaged(
      place.position,
      `entry ${place.seq} is not readable although entry ${proof.seq} behind it shows that it had been stored`,
    );
  }
}

async function walk(segment: SegmentFile, from: ScanPlace, end: number): Promise<ScanPlace> {
  const scan = new SegmentScan(segment.file, segment.shard, from, end);
  for await (const { header, position } of scan.entries()) segment.note(header.seq, position);
  segment.lastSeq = scan.place.seq - 1;
  segment.end = scan.place.position;
  return scan.place;
}

async function sealSegment(segment: SegmentFile, next: SegmentFile, chain: Chain, repair: boolean): Promise<Chain> {
  if (segment.lastSeq + 1 !== next.firstSeq) {
    throw segment.damaged(segment.end, `entry ${segment.lastSeq + 1} is not readable, and the next file begins at ${next.firstSeq}`);
  }
  segment.sealed = true;
  if (repair) {
    await segment.file.write([encodeSeal({ lastSeq: segment.lastSeq, end: segment.end, chain })], SEGMENT_HEADER_BYTES);
    await segment.file.datasync();
  }
  return next.firstChain;
}

/** What a torn write left behind must never be read as an entry again, whatever is written before it. */
async function zeroBehind(segment: SegmentFile, fileEnd: number): Promise<void> {
  const bytes = Buffer.alloc(Math.max(0, Math.min(fileEnd - segment.end, 2 * ENTRY_BYTES_MAX)));
  const read = await segment.file.read(bytes, segment.end);
  const zeros = Buffer.alloc(read);
  if (bytes.subarray(0, read).equals(zeros)) return;
  await segment.file.write([zeros], segment.end);
  await segment.file.datasync();
}
