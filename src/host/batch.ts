// The facts of a shard that are not in the log yet, as the payload of its next entry. Facts go in as they are
// recorded; `seal` makes an entry of them. While a commit is under way the batch keeps growing, so that one sync
// serves everything that arrived meanwhile.

import { assert } from "../base/assert.ts";
import { ByteWriter } from "../base/bytes.ts";
import { type BodyRef, encodeFact, type Fact, isOfTime, isReference, pointCopy, standalone } from "../engine/index.ts";

/** A batch beyond this is sealed although it could wait: entries stay cheap to read back one at a time. */
export const BATCH_BYTES_TARGET = 256 * 1024;

export interface SealedBatch {
  seq: number;
  payload: Buffer;
  factCount: number;
}

export class OpenBatch {
  readonly #writer = new ByteWriter(2 * BATCH_BYTES_TARGET);
  /** The entry that these facts will be. */
  seq: number;
  factCount = 0;
  /** Holds more than the passing of time: somebody may wait for it. */
  matters = false;
  /** Where the newest content begins, for copies that refer to it; -1 when the batch has none. */
  #contentOffset = -1;

  constructor(seq: number) {
    this.seq = seq;
  }

  get bytes(): number {
    return this.#writer.length;
  }

  /** Encodes a fact; answers where its envelope will be in the log. */
  add(fact: Fact): BodyRef | undefined {
    const offset = encodeFact(this.#writer, fact);
    this.factCount += 1;
    if (!isOfTime(fact)) this.matters = true;
    if (fact.kind === "ContentRecorded") this.#contentOffset = this.#writer.length - fact.content.length;
    if (offset < 0) return undefined;
    const envelope = this.#writer.view().subarray(offset);
    if (isReference(envelope)) {
      assert(this.#contentOffset >= 0, "what a copy refers to is in the same batch");
      pointCopy(envelope, offset - this.#contentOffset);
    }
    return { entrySeq: this.seq, offset, bytes: this.#writer.length - offset };
  }

  /** A copy of an envelope that is still in the batch, standing alone. */
  read(offset: number, bytes: number): Buffer {
    return Buffer.from(standalone(this.#writer.view(), offset, bytes));
  }

  /** The batch becomes an entry, and the next one begins. */
  seal(): SealedBatch {
    const sealed = { seq: this.seq, payload: Buffer.from(this.#writer.view()), factCount: this.factCount };
    this.#writer.reset();
    this.seq += 1;
    this.factCount = 0;
    this.matters = false;
    this.#contentOffset = -1;
    return sealed;
  }
}

/** An envelope of a sealed payload, standing alone; a view of the payload where that is possible. */
export function envelopeAlone(payload: Buffer, offset: number, bytes: number): Buffer {
  const envelope = standalone(payload, offset, bytes);
  if (Buffer.isBuffer(envelope)) return envelope;
  return Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength);
}
