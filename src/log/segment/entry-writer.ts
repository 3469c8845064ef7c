// Entries as bytes for one write. Small ones are copied one behind the other into a buffer that is used again and
// again, since one part is written faster than a thousand; a large payload is handed to the disk as it is.

import type { EntrySeq, EntryStamp } from "../log.ts";
import {
  type Chain,
  ENTRY_HEADER_BYTES,
  encodeEntryHeader,
  entryBytes,
  nextChain,
  type SegmentHeader,
  signEntry,
} from "./format.ts";

const COPIED_BYTES_MAX = 16 * 1024;
const BUFFER_BYTES_MIN = 64 * 1024;
const PADDING = Buffer.alloc(8);

export interface NewEntry {
  payload: Uint8Array;
  seq: EntrySeq;
  stamp: EntryStamp;
}

export class EntryWriter {
  #buffer = Buffer.alloc(BUFFER_BYTES_MIN);

  /**
   * The parts to write, and the chain behind the entries. The parts are valid until the next call; payloads must not
   * change before they are written.
   */
  encode(
    entries: readonly NewEntry[],
    segment: SegmentHeader,
    writerId: number,
    syncedSeq: EntrySeq,
    before: Chain,
  ): { parts: Uint8Array[]; chain: Chain } {
    const buffer = this.#room(entries);
    const parts: Uint8Array[] = [];
    let chain = before;
    let length = 0;
    let partStart = 0;
    for (const { payload, seq, stamp } of entries) {
      const { epoch, ownerTimeMs, factCount } = stamp;
      const payloadBytes = payload.length;
      const header = {
        payloadBytes,
        seq,
        syncedSeq,
        chain,
        shard: segment.shard,
        epoch,
        ownerTimeMs,
        factCount,
        writerId,
      };
      const start = length;
      encodeEntryHeader(buffer, start, segment.mark, header);
      length += ENTRY_HEADER_BYTES;
      const paddingBytes = entryBytes(payloadBytes) - ENTRY_HEADER_BYTES - payloadBytes;
      if (payloadBytes <= COPIED_BYTES_MAX) {
        buffer.set(payload, length);
        length += payloadBytes;
        if (paddingBytes > 0) buffer.fill(0, length, length + paddingBytes);
        length += paddingBytes;
        chain = nextChain(chain, signEntry(buffer, start, payloadBytes));
      } else {
        chain = nextChain(chain, signEntry(buffer, start, payloadBytes, payload));
        parts.push(buffer.subarray(partStart, length), payload);
        if (paddingBytes > 0) parts.push(PADDING.subarray(0, paddingBytes));
        partStart = length;
      }
    }
    if (length > partStart) parts.push(buffer.subarray(partStart, length));
    return { parts, chain };
  }

  #room(entries: readonly NewEntry[]): Buffer {
    let bytes = 0;
    for (const { payload } of entries) {
      bytes += payload.length <= COPIED_BYTES_MAX ? entryBytes(payload.length) : ENTRY_HEADER_BYTES;
    }
    if (bytes > this.#buffer.length) this.#buffer = Buffer.alloc(Math.max(bytes, 2 * this.#buffer.length));
    return this.#buffer;
  }
}
