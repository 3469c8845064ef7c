// The deduplication ids of one slice of time, which are forgotten together: records one after the other in chunks of
// bytes, oldest first, and an index that finds them by their key. Records neither change nor move once written.
//
//   record: f64 expiresAtMs | f64 seq | 16 message id | u16 key bytes | key, UTF-8
//
// Snapshots hold records as they are: what changes here changes the snapshot's layout.

import { assert } from "../../base/assert.ts";
import { HashIndex } from "../../base/hash-index.ts";

export const SEQ_OFFSET = 8;
export const MESSAGE_ID_OFFSET = 16;
export const KEY_LENGTH_OFFSET = 32;
export const KEY_OFFSET = 34;

const CHUNK_BITS = 15;
const CHUNK_BYTES = 1 << CHUNK_BITS;
/** Most queues have few ids in a slice. */
const FIRST_CHUNK_BYTES = 256;
const POSITION_MAX = 2 ** 32 - 2;

interface Chunk {
  bytes: Buffer;
  /** Where its records end. */
  length: number;
}

export class DeduplicationSlice {
  /** Which one: the first record's time of expiry in slices since 1970. */
  readonly number: number;
  readonly #chunks: Chunk[] = [];
  #sought: Buffer = Buffer.alloc(0);
  /** Of positions: number of the chunk, and the byte in it. */
  readonly #index = new HashIndex((position) => this.#isSought(position));
  count = 0;
  lastExpiresAtMs = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** The record with the key of `like`, which is a record too; a view. */
  find(like: Buffer, keyHash: number): Buffer | undefined {
    this.#sought = like;
    const position = this.#index.find(keyHash);
    return position < 0 ? undefined : this.#recordAt(position);
  }

  /** Copies a record to the end. Of two with one key the newer is found; the older stays and is found no more. */
  append(record: Buffer, keyHash: number): void {
    const chunk = this.#chunkWithRoom(record.length);
    const position = (this.#chunks.length - 1) * CHUNK_BYTES + chunk.length;
    assert(position <= POSITION_MAX, "a slice of time has more deduplication ids than can be indexed");
    const copy = chunk.bytes.subarray(chunk.length, chunk.length + record.length);
    record.copy(copy);
    chunk.length += record.length;
    // Not the record that was given: it may be part of a whole snapshot, which would be kept with it.
    this.#sought = copy;
    this.#index.put(keyHash, position);
    this.count += 1;
    this.lastExpiresAtMs = record.readDoubleLE(0);
  }

  /** All records, oldest first; views that stay as they are. */
  blocks(): Buffer[] {
    return this.#chunks.map(({ bytes, length }) => bytes.subarray(0, length));
  }

  #isSought(position: number): boolean {
    const record = this.#recordAt(position);
    return record.subarray(KEY_OFFSET).equals(this.#sought.subarray(KEY_OFFSET));
  }

  #recordAt(position: number): Buffer {
    const { bytes } = this.#chunks[position >>> CHUNK_BITS] as Chunk;
    return recordAt(bytes, position & (CHUNK_BYTES - 1));
  }

  #chunkWithRoom(recordBytes: number): Chunk {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.length + recordBytes > CHUNK_BYTES) {
      const room = this.#chunks.length === 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
      // A record that is longer than a chunk has one of its own.
      chunk = { bytes: Buffer.alloc(Math.max(room, recordBytes)), length: 0 };
      this.#chunks.push(chunk);
    }
    const needed = chunk.length + recordBytes;
    if (needed > chunk.bytes.length) {
      const grown = Buffer.alloc(Math.max(needed, Math.min(CHUNK_BYTES, 2 * chunk.bytes.length)));
      chunk.bytes.copy(grown, 0, 0, chunk.length);
      chunk.bytes = grown;
    }
    return chunk;
  }
}

/** A view. Throws RangeError when there is no whole record. */
export function recordAt(bytes: Buffer, at: number): Buffer {
  const end = at + KEY_OFFSET + bytes.readUInt16LE(at + KEY_LENGTH_OFFSET);
  if (end > bytes.length) throw new RangeError(`the record at byte ${at} of ${bytes.length} ends at ${end}`);
  return bytes.subarray(at, end);
}
