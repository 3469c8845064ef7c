// Finds numbers by the 32-bit hash of what they stand for, eight bytes a slot and nothing for the collector to walk
// over. What a number stands for is its owner's, who says whether it is the one that is sought.
//
// Extendible hashing: a directory of buckets by the lowest bits of the hash, each bucket a small table with open
// addressing. A bucket that is full is split by one more bit, so that no addition waits for more than one bucket's
// slots to move, however many there are.

interface Bucket {
  /** Pairs of a hash and a number plus 1; 0 where the slot is empty. */
  slots: Uint32Array;
  count: number;
  /** So many of the lowest bits do all its hashes have in common. */
  depth: number;
}

const SLOTS_MIN = 8;
/** Of one bucket: some ten microseconds to split. */
const SLOTS_MAX = 2048;
/** Of a bucket's slots. */
const SHARE_FILLED_MAX = 0.8;
/** Buckets that would need to be deeper grow instead: their hashes are the same, and no bit tells them apart. */
const DEPTH_MAX = 16;
/** A slot is chosen by the bits that no directory looks at. */
const SLOT_SHIFT = 16;

export class HashIndex {
  readonly #isSought: (value: number) => boolean;
  #directory: Bucket[] = [newBucket(SLOTS_MIN, 0)];
  #depth = 0;

  /** `isSought` is asked of numbers with the same hash, during `find` and `put`. */
  constructor(isSought: (value: number) => boolean) {
    this.#isSought = isSought;
  }

  /** -1 when there is none. */
  find(hash: number): number {
    const { slots } = this.#bucketOf(hash);
    return (slots[this.#slotOf(slots, hash) + 1] as number) - 1;
  }

  /** In the place of the one that is sought, or added. `value` is from 0 to 2^32 - 2. */
  put(hash: number, value: number): void {
    let bucket = this.#bucketOf(hash);
    let slot = this.#slotOf(bucket.slots, hash);
    if (bucket.slots[slot + 1] === 0) {
      while (bucket.count >= slotCount(bucket) * SHARE_FILLED_MAX) {
        this.#makeRoom(bucket, hash);
        bucket = this.#bucketOf(hash);
      }
      slot = emptySlot(bucket.slots, hash);
      bucket.count += 1;
    }
    bucket.slots[slot] = hash;
    bucket.slots[slot + 1] = value + 1;
  }

  #bucketOf(hash: number): Bucket {
    return this.#directory[hash & ((1 << this.#depth) - 1)] as Bucket;
  }

  /** Of the one that is sought, or the empty one where it would be. */
  #slotOf(slots: Uint32Array, hash: number): number {
    let slot = firstSlot(slots, hash);
    while (slots[slot + 1] !== 0 && !(slots[slot] === hash && this.#isSought((slots[slot + 1] as number) - 1))) {
      slot = nextSlot(slots, slot);
    }
    return slot;
  }

  #makeRoom(bucket: Bucket, hash: number): void {
    if (slotCount(bucket) >= SLOTS_MAX && bucket.depth < DEPTH_MAX) {
      this.#split(bucket, hash);
      return;
    }
    const grown = newBucket(2 * slotCount(bucket), bucket.depth);
    distribute(bucket, () => grown);
    bucket.slots = grown.slots;
  }

  #split(bucket: Bucket, hash: number): void {
    const { depth } = bucket;
    if (depth === this.#depth) {
      this.#directory = this.#directory.concat(this.#directory);
      this.#depth += 1;
    }
    const bit = 1 << depth;
    const without = newBucket(SLOTS_MAX, depth + 1);
    const having = newBucket(SLOTS_MAX, depth + 1);
    const half = (bits: number) => (bits & bit ? having : without);
    distribute(bucket, half);
    for (let at = hash & (bit - 1); at < this.#directory.length; at += bit) this.#directory[at] = half(at);
  }
}

function newBucket(slots: number, depth: number): Bucket {
  return { slots: new Uint32Array(2 * slots), count: 0, depth };
}

function slotCount({ slots }: Bucket): number {
  return slots.length / 2;
}

function distribute({ slots }: Bucket, targetOf: (hash: number) => Bucket): void {
  for (let from = 0; from < slots.length; from += 2) {
    if (slots[from + 1] === 0) continue;
    const hash = slots[from] as number;
    const target = targetOf(hash);
    const to = emptySlot(target.slots, hash);
    target.slots[to] = hash;
    target.slots[to + 1] = slots[from + 1] as number;
    target.count += 1;
  }
}

function emptySlot(slots: Uint32Array, hash: number): number {
  let slot = firstSlot(slots, hash);
  while (slots[slot + 1] !== 0) slot = nextSlot(slots, slot);
  return slot;
}

function firstSlot(slots: Uint32Array, hash: number): number {
  return (2 * (hash >>> SLOT_SHIFT)) & (slots.length - 1);
}

function nextSlot(slots: Uint32Array, slot: number): number {
  return (slot + 2) & (slots.length - 1);
}
