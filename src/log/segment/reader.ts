// Walks the entries of one segment file in order, with few large reads, checking each: mark, version, shard, sequence,
// chain, checksum. It stops at the first bytes that are not the next entry; what that means (the end, a torn write,
// damage) is for recovery.ts to say, with the help of what stands behind.

import type { DiskFile } from "../disk.ts";
import type { Entry, EntrySeq } from "../log.ts";
import {
  type Chain,
  decodeEntryHeader,
  ENTRY_HEADER_BYTES,
  type EntryHeader,
  entryBytes,
  hasSoundBytes,
  nextChain,
  type SegmentHeader,
} from "./format.ts";

const WINDOW_BYTES = 4 * 1024 * 1024;

export interface ScannedEntry {
  header: EntryHeader;
  /** Byte in the file where the entry's header begins. */
  position: number;
  /** A view into the reading window; the window is not reused, so it stays valid. */
  payload: Buffer;
}

/** Where a walk stands: the next entry expected. */
export interface ScanPlace {
  position: number;
  seq: EntrySeq;
  chain: Chain;
}

export class SegmentScan {
  readonly #window: FileWindow;
  readonly #segment: SegmentHeader;
  /** After the walk: behind the last good entry. */
  readonly place: ScanPlace;

  /** Nothing at or behind the byte `end` is looked at. */
  constructor(file: DiskFile, segment: SegmentHeader, start: ScanPlace, end: number) {
    this.#window = new FileWindow(file, end);
    this.#segment = segment;
    this.place = { ...start };
  }

  async *entries(): AsyncGenerator<ScannedEntry> {
    const window = this.#window;
    for (;;) {
      const { position } = this.place;
      let at = window.find(position, ENTRY_HEADER_BYTES) ?? (await window.load(position, ENTRY_HEADER_BYTES));
      const header = decodeEntryHeader(window.bytes, at, this.#segment.mark);
      if (header === undefined || !this.#isNext(header)) return;
      const bytes = ENTRY_HEADER_BYTES + header.payloadBytes;
      at = window.find(position, bytes) ?? (await window.load(position, bytes));
      if (!hasSoundBytes(window.bytes, at, header)) return;
      this.place.position = position + entryBytes(header.payloadBytes);
      this.place.seq = header.seq + 1;
      this.place.chain = nextChain(header.chain, header.crc);
      yield { header, position, payload: window.bytes.subarray(at + ENTRY_HEADER_BYTES, at + bytes) };
    }
  }

  #isNext(header: EntryHeader): boolean {
    const { seq, chain } = this.place;
    const { low, high } = header.chain;
    return header.seq === seq && low === chain.low && high === chain.high && header.shard === this.#segment.shard;
  }
}

export function toEntry(scanned: ScannedEntry): Entry {
  const { seq, epoch, ownerTimeMs, factCount } = scanned.header;
  return { seq, epoch, ownerTimeMs, factCount, payload: scanned.payload };
}

export interface BehindStop {
  /**
   * A sound entry that proves that the missing one had been synced: its writer knew so. Without one the walk stopped
   * at the end or at a torn write.
   */
  proof: EntryHeader | undefined;
  /** Behind the last sound entry; where the walk stopped when there is none. */
  soundEnd: number;
}

/** What sound entries of this segment stand behind the place where a walk stopped, however much is between. */
export async function lookBehind(
  file: DiskFile,
  segment: SegmentHeader,
  stopped: ScanPlace,
  end: number,
): Promise<BehindStop> {
  const window = new FileWindow(file, end);
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(segment.mark);
  const found: BehindStop = { proof: undefined, soundEnd: stopped.position };
  let position = stopped.position;
  while (position + ENTRY_HEADER_BYTES <= end) {
    const at = await window.load(position, ENTRY_HEADER_BYTES);
    if (window.bytes.length - at < ENTRY_HEADER_BYTES) break;
    const hit = window.bytes.indexOf(mark, at);
    // A mark may straddle two windows, so the last few bytes are looked at again.
    const next = hit < 0 ? position + (window.bytes.length - at) - mark.length + 1 : position + hit - at;
    position = Math.max(position, alignUp(next));
    if (hit < 0 || position !== next) continue;
    const header = await soundEntryAt(window, position, segment, stopped.seq);
    if (header === undefined) {
      position += 8;
      continue;
    }
    // What is inside a sound entry is its payload.
    position += entryBytes(header.payloadBytes);
    found.soundEnd = position;
    if (header.syncedSeq >= stopped.seq) found.proof ??= header;
  }
  return found;
}

async function soundEntryAt(
  window: FileWindow,
  position: number,
  segment: SegmentHeader,
  stoppedSeq: EntrySeq,
): Promise<EntryHeader | undefined> {
  const header = decodeEntryHeader(window.bytes, await window.load(position, ENTRY_HEADER_BYTES), segment.mark);
  if (header === undefined || header.shard !== segment.shard || header.seq < stoppedSeq) return undefined;
  const at = await window.load(position, ENTRY_HEADER_BYTES + header.payloadBytes);
  return hasSoundBytes(window.bytes, at, header) ? header : undefined;
}

/** Entries begin at multiples of 8. */
function alignUp(position: number): number {
  return Math.ceil(position / 8) * 8;
}

/** A part of a file in memory, read a few megabytes at a time. */
class FileWindow {
  readonly #file: DiskFile;
  readonly #end: number;
  bytes = Buffer.alloc(0);
  #start = 0;

  constructor(file: DiskFile, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** Where in `bytes` the `count` bytes from `position` begin, as far as the file has them; undefined: load them. */
  find(position: number, count: number): number | undefined {
    const end = Math.min(position + count, this.#end);
    const isInside = position >= this.#start && end <= this.#start + this.bytes.length;
    return isInside ? position - this.#start : undefined;
  }

  async load(position: number, count: number): Promise<number> {
    const found = this.find(position, count);
    if (found !== undefined) return found;
    const wanted = Math.min(Math.max(count, WINDOW_BYTES), Math.max(0, this.#end - position));
    const window = Buffer.allocUnsafeSlow(wanted);
    const read = await this.#file.read(window, position);
    this.bytes = window.subarray(0, read);
    this.#start = position;
    return 0;
  }
}
