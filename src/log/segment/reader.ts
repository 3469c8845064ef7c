// Walks the entries of one segment file in order, with few large reads, checking each: magic, version, shard,
// sequence, chain, checksum. It stops at the first bytes that are not the next entry; what that means (the end, a
// torn write, damage) is for recovery.ts to say.

import type { DiskFile } from "../disk.ts";
import type { Entry, EntrySeq } from "../log.ts";
import {
  type Chain,
  decodeEntryHeader,
  ENTRY_BYTES_MAX,
  ENTRY_HEADER_BYTES,
  ENTRY_MAGIC,
  type EntryHeader,
  entryBytes,
  hasSoundBytes,
  nextChain,
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
  readonly #file: DiskFile;
  readonly #shard: number;
  /** Nothing at or behind this byte is looked at. */
  readonly #end: number;
  /** After the walk: behind the last good entry. */
  readonly place: ScanPlace;
  #window = Buffer.alloc(0);
  #windowStart = 0;

  constructor(file: DiskFile, shard: number, start: ScanPlace, end: number) {
    this.#file = file;
    this.#shard = shard;
    this.#end = end;
    this.place = { ...start };
  }

  async *entries(): AsyncGenerator<ScannedEntry> {
    for (;;) {
      const { position } = this.place;
      let at = await this.#load(position, ENTRY_HEADER_BYTES);
      const header = decodeEntryHeader(this.#window, at);
      if (header === undefined || !this.#isNext(header)) return;
      const bytes = ENTRY_HEADER_BYTES + header.payloadBytes;
      if (position + bytes > this.#end) return;
      at = await this.#load(position, bytes);
      if (!hasSoundBytes(this.#window, at, header)) return;
      this.place.position = position + entryBytes(header.payloadBytes);
      this.place.seq = header.seq + 1;
      this.place.chain = nextChain(header.chain, header.crc);
      yield { header, position, payload: this.#window.subarray(at + ENTRY_HEADER_BYTES, at + bytes) };
    }
  }

  #isNext(header: EntryHeader): boolean {
    const { seq, chain } = this.place;
    const { low, high } = header.chain;
    return header.seq === seq && low === chain.low && high === chain.high && header.shard === this.#shard;
  }

  /** Has the window hold `bytes` from `position` if the file has them; answers where in the window they begin. */
  async #load(position: number, bytes: number): Promise<number> {
    const end = Math.min(position + bytes, this.#end);
    if (position >= this.#windowStart && end <= this.#windowStart + this.#window.length) {
      return position - this.#windowStart;
    }
    const wanted = Math.min(Math.max(bytes, WINDOW_BYTES), Math.max(0, this.#end - position));
    const window = Buffer.allocUnsafeSlow(wanted);
    const read = await this.#file.read(window, position);
    this.#window = window.subarray(0, read);
    this.#windowStart = position;
    return 0;
  }
}

export function toEntry(scanned: ScannedEntry): Entry {
  const { seq, epoch, ownerTimeMs, factCount } = scanned.header;
  return { seq, epoch, ownerTimeMs, factCount, payload: scanned.payload };
}

/**
 * Looks behind a place where the walk stopped for a sound entry that proves that the missing one had been durable:
 * its writer knew so. Undefined when there is none: then the walk stopped at the end or at a torn write.
 */
export async function findProofOfDamage(
  file: DiskFile,
  shard: number,
  stopped: ScanPlace,
  end: number,
): Promise<EntryHeader | undefined> {
  const bytes = Buffer.alloc(Math.max(0, Math.min(end - stopped.position, 2 * ENTRY_BYTES_MAX)));
  const read = await file.read(bytes, stopped.position);
  const region = bytes.subarray(0, read);
  // Entries begin at multiples of 8.
  for (let offset = 8; offset + ENTRY_HEADER_BYTES <= region.length; offset += 8) {
    if (region.readUInt32LE(offset) !== ENTRY_MAGIC) continue;
    const header = decodeEntryHeader(region, offset);
    if (header === undefined || header.shard !== shard || header.durableSeq < stopped.seq) continue;
    if (header.seq > stopped.seq && hasSoundBytes(region, offset, header)) return header;
  }
  return undefined;
}
