// Recent log entries in memory, bounded by bytes: most messages are received soon after they were sent, and a drain
// reads entry after entry. Oldest out first. One cache serves all shards, so that the bound is the process's.

export class EntryCache {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Buffer>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(shard: number, seq: number): Buffer | undefined {
    return this.#entries.get(key(shard, seq));
  }

  put(shard: number, seq: number, payload: Buffer): void {
    const name = key(shard, seq);
    if (this.#entries.has(name)) return;
    this.#entries.set(name, payload);
    this.#bytes += payload.length;
    for (const [oldest, bytes] of this.#entries) {
      if (this.#bytes <= this.#bytesMax || this.#entries.size === 1) return;
      this.#entries.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }

  /** After a fault, what a shard had cached may never have reached its log. */
  forgetShard(shard: number): void {
    const prefix = `${shard}:`;
    for (const [name, bytes] of this.#entries) {
      if (!name.startsWith(prefix)) continue;
      this.#entries.delete(name);
      this.#bytes -= bytes.length;
    }
  }
}

function key(shard: number, seq: number): string {
  return `${shard}:${seq}`;
}
