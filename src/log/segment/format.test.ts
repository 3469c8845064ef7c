import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import {
  CHAIN_START,
  decodeEntryHeader,
  decodeSeal,
  decodeSegmentHeader,
  ENTRIES_OFFSET,
  ENTRY_HEADER_BYTES,
  encodeEntryHeader,
  encodeSeal,
  encodeSegmentHeader,
  entryBytes,
  firstSeqOfFileName,
  hasSoundBytes,
  isSameChain,
  newMark,
  nextChain,
  SEGMENT_HEADER_BYTES,
  segmentFileName,
  signEntry,
} from "./format.ts";

const SEGMENT = { shard: 3, firstSeq: 2 ** 40 + 1, chain: { low: 1, high: 2 ** 32 - 1 }, mark: 0xdead_beef };
const ENTRY = {
  payloadBytes: 5,
  seq: 2 ** 40 + 7,
  syncedSeq: 2 ** 40 + 6,
  chain: { low: 0xffff_ffff, high: 0 },
  shard: 3,
  writerId: 0xffff_ffff,
  epoch: 9,
  ownerTimeMs: 1_750_000_000_123,
  factCount: 2,
};

function entry(): Buffer {
  const bytes = Buffer.alloc(8 + entryBytes(5));
  encodeEntryHeader(bytes, 8, SEGMENT.mark, ENTRY);
  bytes.write("hello", 8 + ENTRY_HEADER_BYTES);
  signEntry(bytes, 8, 5);
  return bytes;
}

test("a segment header is read back as it was written, with room for the seal behind it", () => {
  const bytes = encodeSegmentHeader(SEGMENT);
  assert.equal(bytes.length, ENTRIES_OFFSET);
  assert.deepEqual(decodeSegmentHeader(bytes), { is: "header", header: SEGMENT });
  assert.equal(decodeSeal(bytes), undefined);
});

test("one flipped bit in a segment header or a seal makes it no header and no seal", () => {
  const seal = { lastSeq: 2 ** 41, end: 4096, chain: { low: 5, high: 6 } };
  const bytes = encodeSegmentHeader(SEGMENT);
  encodeSeal(seal).copy(bytes, SEGMENT_HEADER_BYTES);
  assert.deepEqual(decodeSeal(bytes), seal);
  for (let bit = 0; bit < 8 * ENTRIES_OFFSET; bit++) {
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    const isHeader = bit < 8 * SEGMENT_HEADER_BYTES;
    assert.equal(decodeSegmentHeader(bytes).is, isHeader ? "damaged" : "header");
    assert.equal(decodeSeal(bytes) === undefined, !isHeader);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  }
});

test("an entry is read back as it was written; one flipped bit in header or payload is noticed", () => {
  const bytes = entry();
  const header = decodeEntryHeader(bytes, 8, SEGMENT.mark);
  assert.ok(header);
  assert.deepEqual(header, { ...ENTRY, crc: header.crc });
  assert.ok(hasSoundBytes(bytes, 8, header));
  for (let bit = 8 * 8; bit < 8 * (8 + ENTRY_HEADER_BYTES + 5); bit++) {
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    const changed = decodeEntryHeader(bytes, 8, SEGMENT.mark);
    assert.ok(changed === undefined || !hasSoundBytes(bytes, 8, changed), `bit ${bit}`);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  }
});

test("zeros, another segment's entries and an entry that is not all there are no entries", () => {
  const bytes = entry();
  assert.equal(decodeEntryHeader(Buffer.alloc(64), 0, SEGMENT.mark), undefined);
  assert.equal(decodeEntryHeader(bytes, 8, SEGMENT.mark + 1), undefined);
  assert.equal(decodeEntryHeader(bytes.subarray(0, 8 + ENTRY_HEADER_BYTES - 1), 8, SEGMENT.mark), undefined);
  const header = decodeEntryHeader(bytes, 8, SEGMENT.mark);
  assert.ok(header && !hasSoundBytes(bytes.subarray(0, bytes.length - 4), 8, header));
});

test("the checksum is the same whether the payload follows the header or is apart from it", () => {
  const bytes = entry();
  const payload = Buffer.from("hello");
  assert.equal(
    signEntry(bytes, 8, 5),
    signEntry(Buffer.from(bytes.subarray(0, 8 + ENTRY_HEADER_BYTES)), 8, 5, payload),
  );
});

test("the chain depends on every entry and on their order", () => {
  const chains = [[1, 2], [2, 1], [1], [2], [1, 2, 0]].map((crcs) => crcs.reduce(nextChain, CHAIN_START));
  for (const [index, chain] of chains.entries()) {
    for (const other of chains.slice(index + 1)) assert.ok(!isSameChain(chain, other));
  }
});

test("a mark is never zero and differs with writer, place and chain", () => {
  const marks = [
    newMark(CHAIN_START, 1, 0),
    newMark(CHAIN_START, 1, 1),
    newMark(CHAIN_START, 2, 0),
    newMark({ low: 0, high: 0 }, 1, 0),
  ];
  assert.equal(new Set(marks).size, marks.length);
  assert.ok(!marks.includes(0));
});

test("entries take a multiple of 8 bytes, and file names carry their first entry", () => {
  assert.deepEqual([0, 1, 8, 9].map(entryBytes), [64, 72, 72, 80]);
  assert.equal(segmentFileName(29411), "00000000000000029411.mpl");
  assert.equal(firstSeqOfFileName("00000000000000029411.mpl"), 29411);
  assert.equal(firstSeqOfFileName("29411.mpl"), undefined);
});

test("a segment of a newer version says so, and is not called damaged", () => {
  const bytes = encodeSegmentHeader(SEGMENT);
  bytes.writeUInt32LE(2, 8);
  assert.equal(decodeSegmentHeader(bytes).is, "damaged", "not without a checksum that fits");
  assert.deepEqual(decodeSegmentHeader(resigned(bytes)), { is: "tooNew", version: 2 });
});

/** With the checksum that its bytes call for. */
function resigned(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(crc32(copy.subarray(8, SEGMENT_HEADER_BYTES)), 4);
  return copy;
}
