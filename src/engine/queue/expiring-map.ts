// What is remembered for a window of one length, in order of expiry: entries join at the end and leave at the front.
// A snapshot may walk over it in steps while it goes on changing. The walk visits what was there when it began: an
// entry that would leave is visited first. Since the front is both where the walk begins and where entries leave,
// what was visited and is still there is always the first part of the map, and one number says how long it is.

/** Entries that are visited together when one of them is about to leave. */
const STEP = 64;

export interface ExpiringWalk {
  /** Visits so many more; false when all have been visited. */
  step(count: number): boolean;
  stop(): void;
}

export class ExpiringMap<Value extends { expiresAtMs: number }> {
  #entries = new Map<string, Value>();
  #walk: Walk<Value> | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.#entries[Symbol.iterator]();
  }

  /** Puts an entry at the end and forgets those whose time has passed. */
  remember(key: string, value: Value, nowMs: number): void {
    this.#forgetExpired(nowMs);
    if (this.#entries.has(key)) {
      this.#walk?.finish();
      this.#entries.delete(key);
    }
    this.#entries.set(key, value);
  }

  /** The entry may be changed: whatever a walk has not visited yet, it visits now. */
  change(key: string): Value | undefined {
    if (this.#entries.has(key)) this.#walk?.finish();
    return this.#entries.get(key);
  }

  /** Puts an entry at the end, as a snapshot had it. */
  restore(key: string, value: Value): void {
    this.#entries.set(key, value);
  }

  /** A walk goes on over what was there. */
  clear(): void {
    this.#entries = new Map();
    this.#walk = undefined;
  }

  /**
   * `visit` is called for each entry that is there now, in order, during the walk's steps, and during changes that
   * would not wait. Without `mayChange` the map must stay as it is meanwhile; with it there is one walk at a time.
   */
  walk(visit: (key: string, value: Value) => void, mayChange: boolean): ExpiringWalk {
    const walk = new Walk(this.#entries, visit);
    if (mayChange) this.#walk = walk;
    return {
      step: (count) => walk.step(count),
      stop: () => {
        if (this.#walk === walk) this.#walk = undefined;
      },
    };
  }

  #forgetExpired(nowMs: number): void {
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAtMs > nowMs) return;
      this.#walk?.beforeFirstLeaves();
      this.#entries.delete(key);
    }
  }
}

class Walk<Value> {
  readonly #iterator: Iterator<[string, Value]>;
  readonly #visit: (key: string, value: Value) => void;
  #left: number;
  /** Visited and still in the map: its first so many entries. */
  #visited = 0;

  constructor(entries: Map<string, Value>, visit: (key: string, value: Value) => void) {
    this.#iterator = entries.entries();
    this.#left = entries.size;
    this.#visit = visit;
  }

  step(count: number): boolean {
    for (let taken = 0; taken < count && this.#left > 0; taken++) {
      const [key, value] = this.#iterator.next().value as [string, Value];
      this.#visit(key, value);
      this.#left -= 1;
      this.#visited += 1;
    }
    return this.#left > 0;
  }

  finish(): void {
    this.step(this.#left);
  }

  beforeFirstLeaves(): void {
    if (this.#left === 0) return;
    if (this.#visited === 0) this.step(STEP);
    this.#visited -= 1;
  }
}
