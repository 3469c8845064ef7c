// The deduplication ids that a queue remembers, without an object for any of them: a burst of a million costs some
// 90 bytes each, and nothing that the collector must walk over. All are remembered for one length of time, so they
// expire in the order they came; they are kept in slices of a minute, each of which goes whole when its last id has
// expired. What has expired may thus still be found for a while: look at `expiresAtMs`.

import { assert } from "../../base/assert.ts";
import {
  DeduplicationSlice,
  KEY_LENGTH_OFFSET,
  KEY_OFFSET,
  MESSAGE_ID_OFFSET,
  recordAt,
  SEQ_OFFSET,
} from "./deduplication-slice.ts";
import { uuidBytes, uuidText } from "./envelope.ts";

export interface Deduplicated {
  /** UUID text. */
  messageId: string;
  seq: number;
  expiresAtMs: number;
}

/** A key is looked for in every slice: five minutes are up to seven of them. */
const SLICE_MS = 60_000;
const KEY_BYTES_MAX = 2 ** 16 - 1;

/** A record that is being put together. */
let scratch = Buffer.alloc(1024);

export class DeduplicationTable {
  /** Oldest first. */
  #slices: DeduplicationSlice[] = [];

  get size(): number {
    return this.#slices.reduce((size, slice) => size + slice.count, 0);
  }

  /** The latest that was remembered with this key, perhaps expired. */
  get(key: string): Deduplicated | undefined {
    if (this.#slices.length === 0) return undefined;
    const like = recordWithKey(key);
    const hash = keyHash(like);
    for (let at = this.#slices.length - 1; at >= 0; at--) {
      const record = this.#slices[at]?.find(like, hash);
      if (record !== undefined) return decodeRecord(record);
    }
    return undefined;
  }

  /** Puts an id at the end and forgets slices whose time has passed. `expiresAtMs` never goes back. */
  remember(key: string, value: Deduplicated, nowMs: number): void {
    while ((this.#slices[0]?.lastExpiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) this.#slices.shift();
    this.restore(key, value);
  }

  /** Puts an id at the end, as a snapshot had it. */
  restore(key: string, { messageId, seq, expiresAtMs }: Deduplicated): void {
    const record = recordWithKey(key);
    record.writeDoubleLE(expiresAtMs, 0);
    record.writeDoubleLE(seq, SEQ_OFFSET);
    record.set(uuidBytes(messageId), MESSAGE_ID_OFFSET);
    this.#append(record);
  }

  /** Puts what `blocks` gave at the end. Answers how many ids that were; RangeError when it is no such block. */
  restoreBlock(block: Buffer): number {
    let count = 0;
    for (let at = 0; at < block.length; count++) {
      const record = recordAt(block, at);
      this.#append(record);
      at += record.length;
    }
    return count;
  }

  /** All ids in pieces of some ten kilobytes, oldest first. They stay as they are, whatever becomes of the table. */
  blocks(): Buffer[] {
    return this.#slices.flatMap((slice) => slice.blocks());
  }

  clear(): void {
    this.#slices = [];
  }

  #append(record: Buffer): void {
    const number = Math.floor(record.readDoubleLE(0) / SLICE_MS);
    let slice = this.#slices.at(-1);
    if (slice === undefined || slice.number < number) {
      slice = new DeduplicationSlice(number);
      this.#slices.push(slice);
    }
    slice.append(record, keyHash(record));
  }
}

/** Everything but the key is to be filled in. Good until the next call. */
function recordWithKey(key: string): Buffer {
  const bytesMax = KEY_OFFSET + 3 * key.length;
  if (scratch.length < bytesMax) scratch = Buffer.alloc(bytesMax);
  const keyBytes = scratch.write(key, KEY_OFFSET);
  assert(keyBytes <= KEY_BYTES_MAX, "a deduplication key has at most twice 128 characters");
  scratch.writeUInt16LE(keyBytes, KEY_LENGTH_OFFSET);
  return scratch.subarray(0, KEY_OFFSET + keyBytes);
}

function decodeRecord(record: Buffer): Deduplicated {
  return {
    messageId: uuidText(record.subarray(MESSAGE_ID_OFFSET, MESSAGE_ID_OFFSET + 16)),
    seq: record.readDoubleLE(SEQ_OFFSET),
    expiresAtMs: record.readDoubleLE(0),
  };
}

/** FNV-1a of the key, its bits mixed once more: they must all be as good as each other. */
function keyHash(record: Buffer): number {
  let hash = 0x811c9dc5;
  for (let at = KEY_OFFSET; at < record.length; at++) hash = Math.imul(hash ^ (record[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
