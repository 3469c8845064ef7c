// A log on a disk that misbehaves, and what its owner knows of it: the entries it issued, those that were acknowledged,
// what it allowed to be trimmed. `check` holds the log against that after each opening. One history lives through many
// openings; each ends in a close, a killed process, a failed write or a power cut.

import assert from "node:assert/strict";
import type { Random } from "../../src/base/random.ts";
import { openSegmentStorage, type ShardStorage } from "../../src/log/index.ts";
import { TestDisk } from "../../src/log/test-disk.ts";
import { stamp, textIn } from "./log-tools.ts";

export const FOLDER = "/data/shards/0000";

export interface HistoryOptions {
  durability?: "fsync" | "os";
  segmentBytesMax?: number;
  /**
   * False: each opening would write the same bytes again, and what an earlier one left must not count all the same.
   * Not promised when syncs fail too: then zeros over such remains may never reach the disk.
   */
  freshWriters?: boolean;
}

export class LogHistory {
  readonly disk: TestDisk;
  readonly #random: Random;
  readonly #options: Required<HistoryOptions>;
  storage: ShardStorage | undefined;
  /** What entry `index + 1` holds if it was kept. */
  #issued: string[] = [];
  #acknowledgedSeq = 0;
  /** Of what was acknowledged with durability "os", this much was synced for another reason. */
  #syncedSeq = 0;
  /** Entries that a trim was allowed to take. */
  readonly #trimmable = new Set<number>();
  /** Snapshots whose put resolved, newest last; and all that were ever begun. */
  #snapshots: number[] = [];
  readonly #snapshotTexts = new Map<number, Set<string>>();
  #snapshotNumber = 0;

  constructor(random: Random, options: HistoryOptions = {}) {
    this.#random = random;
    this.disk = new TestDisk(random.fork());
    this.#options = { durability: "fsync", segmentBytesMax: 2048, freshWriters: true, ...options };
  }

  get acknowledgedSeq(): number {
    return this.#acknowledgedSeq;
  }

  async open(): Promise<void> {
    const { durability, segmentBytesMax, freshWriters } = this.#options;
    this.storage = await openSegmentStorage({
      disk: this.disk,
      folder: FOLDER,
      shard: 0,
      writerId: freshWriters ? this.#random.bits() : 7,
      durability,
      segmentBytesMax,
    });
  }

  get log() {
    assert.ok(this.storage);
    return this.storage.log;
  }

  /** Appends that are issued together. Rejects when one of them fails. */
  async append(sizes: number[]): Promise<void> {
    const { log } = this;
    const first = this.#issued.length;
    const appends = sizes.map((size, index) => {
      const body = `${first + index + 1}`.padEnd(size, "~");
      this.#issued.push(body);
      return log.append(Buffer.from(body), first + index, stamp).then((result) => {
        assert.deepEqual(result, { is: "ok", seq: first + index + 1 });
        this.#acknowledgedSeq = first + index + 1;
      });
    });
    const settled = await Promise.allSettled(appends);
    const failed = settled.findIndex(({ status }) => status === "rejected");
    if (failed < 0) return;
    for (const { status } of settled.slice(failed)) assert.equal(status, "rejected", "all behind a failed append fail");
    throw (settled[failed] as PromiseRejectedResult).reason;
  }

  /** It was refused outright: no part of it can have been written. */
  forgetLastIssued(): void {
    this.#issued.pop();
  }

  async trim(): Promise<void> {
    const upTo = this.#acknowledgedSeq;
    const going = this.log.segments().filter((segment) => segment.sealed && this.#random.chance(0.7));
    for (const { firstSeq, lastSeq } of going) for (let seq = firstSeq; seq <= lastSeq; seq++) this.#trimmable.add(seq);
    const firstSeqs = new Set(going.map(({ firstSeq }) => firstSeq));
    await this.log.trim(upTo, ({ firstSeq }) => firstSeqs.has(firstSeq));
    this.#syncedSeq = Math.max(this.#syncedSeq, upTo);
  }

  async putSnapshot(): Promise<void> {
    assert.ok(this.storage);
    const seq = this.#acknowledgedSeq;
    const body = `snapshot ${this.#snapshotNumber++} of ${seq}`;
    const texts = this.#snapshotTexts.get(seq) ?? new Set();
    this.#snapshotTexts.set(seq, texts.add(body));
    await this.storage.snapshots.put(seq, [Buffer.from(body.slice(0, 4)), Buffer.from(body.slice(4))]);
    this.#snapshots = [...this.#snapshots.filter((known) => known !== seq), seq];
    this.#syncedSeq = Math.max(this.#syncedSeq, seq);
  }

  async close(): Promise<void> {
    await this.log.close();
    this.#syncedSeq = this.#acknowledgedSeq;
  }

  /** The log was closed, or is given up: what it has done so far may stay undone from here on. */
  end(how: "closed" | "killed" | "powerCut"): void {
    if (how === "powerCut") this.disk.powerCut(this.#random);
    else this.disk.kill();
    if (how === "powerCut" && this.#options.durability === "os") this.#acknowledgedSeq = this.#syncedSeq;
    this.storage = undefined;
  }

  /** After an opening: every acknowledged entry is there, nothing is invented, nothing is missing in between. */
  async check(): Promise<void> {
    const { log } = this;
    const tail = log.tail();
    assert.ok(
      tail >= this.#acknowledgedSeq,
      `entries up to ${this.#acknowledgedSeq} were acknowledged, the log ends at ${tail}`,
    );
    assert.ok(tail <= this.#issued.length, `${this.#issued.length} entries were issued, the log ends at ${tail}`);
    const found = new Set<number>();
    let last = 0;
    for await (const entry of log.read(1)) {
      assert.ok(entry.seq > last);
      assert.equal(textIn(entry.payload), this.#issued[entry.seq - 1], `entry ${entry.seq}`);
      found.add(entry.seq);
      last = entry.seq;
    }
    for (let seq = 1; seq <= tail; seq++) {
      if (!found.has(seq)) assert.ok(this.#trimmable.has(seq), `entry ${seq} is missing`);
      else if (seq % 5 === 0) assert.equal(textIn((await log.readEntry(seq)).payload), this.#issued[seq - 1]);
    }
    if (tail > 0) assert.ok(found.has(tail), "the last entry is always kept");
    await this.#checkSnapshots();
    // What the log counts as its own after an opening is as good as acknowledged.
    this.#issued.length = tail;
    this.#acknowledgedSeq = tail;
    this.#syncedSeq = tail;
  }

  async #checkSnapshots(): Promise<void> {
    assert.ok(this.storage);
    const refs = await this.storage.snapshots.list();
    for (const ref of refs) {
      const body = textIn(await this.storage.snapshots.get(ref));
      assert.ok(this.#snapshotTexts.get(ref.seq)?.has(body), `snapshot ${ref.seq} holds ${JSON.stringify(body)}`);
    }
    const newest = this.#snapshots.at(-1);
    if (newest !== undefined) assert.ok((refs[0]?.seq ?? -1) >= newest, `snapshot ${newest} is missing`);
  }
}
