// The bytes of a segment file. docs/log-format.md shows the same tables; change both together.
//
//   segment = header (64) | seal (64) | entry ...             all numbers little-endian
//   entry   = header (64) | payload | zeros up to a multiple of 8
//
// Zero is never a valid entry: unwritten space reads as the end. Each segment has its own mark, and its entries begin
// with it. So what looks like an entry but was not written to this segment does not count as one: what a recycled file
// held in its earlier life, and bytes inside a message that a client made to look like an entry.

import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { type EntrySeq, type EntryStamp, PAYLOAD_BYTES_MAX } from "../log.ts";

export const FORMAT_VERSION = 1;
export const SEGMENT_HEADER_BYTES = 64;
/** Where the first entry begins. */
export const ENTRIES_OFFSET = 128;
export const ENTRY_HEADER_BYTES = 64;
export const ENTRY_BYTES_MAX = ENTRY_HEADER_BYTES + PAYLOAD_BYTES_MAX;

const SEGMENT_MAGIC = 0x3147_534d; // "MSG1"
const SEAL_MAGIC = 0x314c_534d; // "MSL1"

/** 64 bits over all entries so far: what ties an entry to the ones before it. */
export interface Chain {
  low: number;
  high: number;
}

export const CHAIN_START: Chain = { low: 0x6d69_6c6c, high: 0x706f_6e64 };

export function isSameChain(a: Chain, b: Chain): boolean {
  return a.low === b.low && a.high === b.high;
}

/**
 * The chain after an entry. It mixes the entry's own CRC-32 into 64 bits, so it notices reordered, missing and foreign
 * entries; against changed bytes it is as strong as the CRC, and it is no cryptographic seal.
 */
export function nextChain(chain: Chain, entryCrc: number): Chain {
  const low = (Math.imul(chain.low ^ entryCrc, 0x85eb_ca6b) ^ (chain.high >>> 13)) >>> 0;
  const high = (Math.imul(chain.high ^ low, 0xc2b2_ae35) ^ ((entryCrc << 7) | (entryCrc >>> 25))) >>> 0;
  return { low, high };
}

export interface SegmentHeader {
  shard: number;
  firstSeq: EntrySeq;
  /** The chain before the first entry. */
  chain: Chain;
  /** What each entry of this segment begins with. */
  mark: number;
}

/** A mark that a client cannot guess as long as it does not know the writer's id, and that is not zero. */
export function newMark(chain: Chain, firstSeq: EntrySeq, writerId: number): number {
  const mixed = nextChain(nextChain(chain, writerId), firstSeq >>> 0);
  return ((mixed.low ^ mixed.high) | 1) >>> 0;
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  // The seal's place is written as zeros with it: a recycled segment loses its old seal.
  const bytes = Buffer.alloc(ENTRIES_OFFSET);
  bytes.writeUInt32LE(SEGMENT_MAGIC, 0);
  bytes.writeUInt32LE(FORMAT_VERSION, 8);
  bytes.writeUInt32LE(header.shard, 12);
  bytes.writeDoubleLE(header.firstSeq, 16);
  bytes.writeUInt32LE(header.chain.low, 24);
  bytes.writeUInt32LE(header.chain.high, 28);
  bytes.writeUInt32LE(header.mark, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(8, SEGMENT_HEADER_BYTES)), 4);
  return bytes;
}

export type DecodedSegmentHeader =
  | { is: "header"; header: SegmentHeader }
  | { is: "damaged"; problem: string }
  | { is: "tooNew"; version: number };

/** Magic, checksum over the rest of the 64 bytes, and the version's place hold for all versions to come. */
export function decodeSegmentHeader(bytes: Buffer): DecodedSegmentHeader {
  if (bytes.length < SEGMENT_HEADER_BYTES)
    return { is: "damaged", problem: "the file is shorter than a segment header" };
  if (bytes.readUInt32LE(0) !== SEGMENT_MAGIC)
    return { is: "damaged", problem: "the file does not begin like a segment" };
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8, SEGMENT_HEADER_BYTES))) {
    return { is: "damaged", problem: "the segment header's checksum is wrong" };
  }
  const version = bytes.readUInt32LE(8);
  if (version !== FORMAT_VERSION) return { is: "tooNew", version };
  const header = {
    shard: bytes.readUInt32LE(12),
    firstSeq: bytes.readDoubleLE(16),
    chain: { low: bytes.readUInt32LE(24), high: bytes.readUInt32LE(28) },
    mark: bytes.readUInt32LE(32),
  };
  return { is: "header", header };
}

/**
 * Written when the next segment begins, and when the log is closed: the segment goes at least this far, all of it
 * synced before. In a segment that another one follows, exactly this far.
 */
export interface Seal {
  lastSeq: EntrySeq;
  /** First byte behind the last entry. */
  end: number;
  chain: Chain;
}

export function encodeSeal(seal: Seal): Buffer {
  const bytes = Buffer.alloc(ENTRIES_OFFSET - SEGMENT_HEADER_BYTES);
  bytes.writeUInt32LE(SEAL_MAGIC, 0);
  bytes.writeDoubleLE(seal.lastSeq, 8);
  bytes.writeUInt32LE(seal.end, 16);
  bytes.writeUInt32LE(seal.chain.low, 20);
  bytes.writeUInt32LE(seal.chain.high, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

export function decodeSeal(segmentStart: Buffer): Seal | undefined {
  const bytes = segmentStart.subarray(SEGMENT_HEADER_BYTES, ENTRIES_OFFSET);
  if (bytes.length < ENTRIES_OFFSET - SEGMENT_HEADER_BYTES || bytes.readUInt32LE(0) !== SEAL_MAGIC) return undefined;
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8))) return undefined;
  return {
    lastSeq: bytes.readDoubleLE(8),
    end: bytes.readUInt32LE(16),
    chain: { low: bytes.readUInt32LE(20), high: bytes.readUInt32LE(24) },
  };
}

export interface EntryHeader extends EntryStamp {
  crc: number;
  payloadBytes: number;
  seq: EntrySeq;
  /** The last entry known to be on disk, synced, when this one was written: proof that those before it were. */
  syncedSeq: EntrySeq;
  /** The chain before this entry. */
  chain: Chain;
  shard: number;
  writerId: number;
}

/** Writes the header to `bytes` at `offset`, all but the CRC. */
export function encodeEntryHeader(bytes: Buffer, offset: number, mark: number, header: Omit<EntryHeader, "crc">): void {
  const { payloadBytes } = header;
  assert(payloadBytes <= PAYLOAD_BYTES_MAX, () => `an entry of ${payloadBytes} bytes is over the bound`);
  bytes.writeUInt32LE(mark, offset);
  bytes.writeUInt32LE(FORMAT_VERSION, offset + 8);
  bytes.writeUInt32LE(payloadBytes, offset + 12);
  bytes.writeDoubleLE(header.seq, offset + 16);
  bytes.writeDoubleLE(header.syncedSeq, offset + 24);
  bytes.writeUInt32LE(header.chain.low, offset + 32);
  bytes.writeUInt32LE(header.chain.high, offset + 36);
  bytes.writeUInt32LE(header.shard, offset + 40);
  bytes.writeUInt32LE(header.epoch, offset + 44);
  bytes.writeDoubleLE(header.ownerTimeMs, offset + 48);
  bytes.writeUInt32LE(header.factCount, offset + 56);
  bytes.writeUInt32LE(header.writerId, offset + 60);
}

/** Adds the CRC over header and payload. `payload` only where it does not follow the header in `bytes`. */
export function signEntry(bytes: Buffer, offset: number, payloadBytes: number, payload?: Uint8Array): number {
  const headerEnd = offset + ENTRY_HEADER_BYTES;
  const crc =
    payload === undefined
      ? crc32(bytes.subarray(offset + 8, headerEnd + payloadBytes))
      : crc32(payload, crc32(bytes.subarray(offset + 8, headerEnd)));
  bytes.writeUInt32LE(crc, offset + 4);
  return crc;
}

/** `undefined` when no entry begins here. The payload may not have been read yet: check `hasSoundBytes` then. */
export function decodeEntryHeader(bytes: Buffer, offset: number, mark: number): EntryHeader | undefined {
  if (offset + ENTRY_HEADER_BYTES > bytes.length || bytes.readUInt32LE(offset) !== mark) return undefined;
  const payloadBytes = bytes.readUInt32LE(offset + 12);
  if (bytes.readUInt32LE(offset + 8) !== FORMAT_VERSION || payloadBytes > PAYLOAD_BYTES_MAX) return undefined;
  return {
    crc: bytes.readUInt32LE(offset + 4),
    payloadBytes,
    seq: bytes.readDoubleLE(offset + 16),
    syncedSeq: bytes.readDoubleLE(offset + 24),
    chain: { low: bytes.readUInt32LE(offset + 32), high: bytes.readUInt32LE(offset + 36) },
    shard: bytes.readUInt32LE(offset + 40),
    epoch: bytes.readUInt32LE(offset + 44),
    ownerTimeMs: bytes.readDoubleLE(offset + 48),
    factCount: bytes.readUInt32LE(offset + 56),
    writerId: bytes.readUInt32LE(offset + 60),
  };
}

/** Is the entry at `offset`, header and payload, what its checksum says? */
export function hasSoundBytes(bytes: Buffer, offset: number, header: EntryHeader): boolean {
  const end = offset + ENTRY_HEADER_BYTES + header.payloadBytes;
  return end <= bytes.length && crc32(bytes.subarray(offset + 8, end)) === header.crc;
}

/** Bytes of an entry in the file. */
export function entryBytes(payloadBytes: number): number {
  return ENTRY_HEADER_BYTES + ((payloadBytes + 7) & ~7);
}

export function segmentFileName(firstSeq: EntrySeq): string {
  return `${String(firstSeq).padStart(20, "0")}.mpl`;
}

export function firstSeqOfFileName(name: string): EntrySeq | undefined {
  return /^\d{20}\.mpl$/.test(name) ? Number(name.slice(0, 20)) : undefined;
}
