// What a shard has recorded, on its way into the log: the open batch, the entries made of it, and everybody who waits
// for one of them to be durable.
//
//   add -> open batch -> seal -> entry -> append (one sync) -> durable: the answers that waited for it leave
//
// One append at a time; what arrives meanwhile forms the next batch. A committer lives from an opening of the log to the
// first entry that the log does not take. It takes no more then: whoever waits, or comes to wait, is told why.

import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import { pause } from "../base/pause.ts";
import type { BodyRef, Fact } from "../engine/index.ts";
import type { ShardLog } from "../log/index.ts";
import { BATCH_BYTES_TARGET, envelopeAlone, OpenBatch, type SealedBatch } from "./batch.ts";
import type { EntryCache } from "./entry-cache.ts";

const RETRY_MS = 1000;

export interface CommitterOptions {
  shard: number;
  /** Of this opening; on every entry, so that whoever opened the log before can append no more. */
  epoch: number;
  log: ShardLog;
  cache: EntryCache;
  clock: Clock;
  /** The log did not take an entry. Called once, and not after `fail`. */
  onFailed: (error: unknown) => void;
}

/** Somebody whose answer leaves when entry `seq` is durable. */
interface DurableWait {
  seq: number;
  answer: unknown;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

export class Committer {
  /** The newest durable entry. */
  durableSeq: number;
  /** Of the entries that became durable here. */
  durableBytes = 0;
  readonly #options: CommitterOptions;
  readonly #batch: OpenBatch;
  /** Sealed, in order, not yet handed to the log. */
  #sealed: SealedBatch[] = [];
  /** Payloads by entry, sealed and not yet known durable: the log cannot read them back, and no cache may drop them. */
  readonly #undurable = new Map<number, Buffer>();
  #isCommitting = false;
  #isCommitDue = false;
  #waits: DurableWait[] = [];
  #failure: Fault | undefined;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.durableSeq = options.log.tail();
    this.#batch = new OpenBatch(this.durableSeq + 1);
  }

  /** The entry that holds everything recorded so far that matters to anybody. */
  get newestSeq(): number {
    return this.#batch.matters ? this.#batch.seq : this.#batch.seq - 1;
  }

  /** The entry that is recorded into. */
  get openSeq(): number {
    return this.#batch.seq;
  }

  /** Bytes recorded but not yet durable. */
  get pendingBytes(): number {
    let bytes = this.#batch.bytes;
    for (const payload of this.#undurable.values()) bytes += payload.length;
    return bytes;
  }

  get isIdle(): boolean {
    return !this.#isCommitting && this.#sealed.length === 0 && !this.#batch.matters;
  }

  /** Answers where the fact's envelope will be in the log. */
  add(fact: Fact): BodyRef | undefined {
    return this.#batch.add(fact);
  }

  /** To be called between commands only: what a command records is in one entry, so that its facts may refer to each other. */
  commandEnded(): void {
    if (this.#batch.bytes >= BATCH_BYTES_TARGET) this.seal();
    if (this.#batch.matters) this.#commitSoon();
  }

  /** Makes an entry of the open batch, even of an empty one, and has it appended. Answers its number. */
  seal(): number {
    const sealed = this.#batch.seal();
    this.#options.cache.put(this.#options.shard, sealed.seq, sealed.payload);
    this.#undurable.set(sealed.seq, sealed.payload);
    this.#sealed.push(sealed);
    this.#commitSoon();
    return sealed.seq;
  }

  /** Ends the open batch, so that the state is exactly what the log will hold up to the answered entry. */
  cut(): number {
    return this.#batch.factCount > 0 ? this.seal() : this.#batch.seq - 1;
  }

  /**
   * Resolves with `answer` when entry `seq` and all before it are durable; undefined when they are already. Rejects
   * with the Fault when the log does not take one of them.
   */
  whenDurable(seq: number, answer: unknown): Promise<unknown> | undefined {
    if (seq <= this.durableSeq) return undefined;
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (seq === this.#batch.seq) this.#commitSoon();
    return new Promise((resolve, reject) => this.#waits.push({ seq, answer, resolve, reject }));
  }

  /** An envelope of an entry that the log may not have yet, standing alone; undefined when the log has it. */
  read(seq: number, offset: number, bytes: number): Buffer | undefined {
    if (seq === this.#batch.seq) return this.#batch.read(offset, bytes);
    const payload = this.#undurable.get(seq);
    return payload === undefined ? undefined : envelopeAlone(payload, offset, bytes);
  }

  /** Takes no more, and drops what is not durable. An append that is under way may still reach the log: nobody is told. */
  fail(failure: Fault): void {
    this.#failure = failure;
    this.#sealed = [];
    this.#undurable.clear();
    const waits = this.#waits;
    this.#waits = [];
    for (const { reject } of waits) reject(failure);
  }

  #commitSoon(): void {
    if (this.#isCommitDue || this.#isCommitting) return;
    this.#isCommitDue = true;
    // Requests that arrived in the same turn of the event loop share one commit.
    setImmediate(() => {
      this.#isCommitDue = false;
      this.#commit();
    });
  }

  #commit(): void {
    if (this.#isCommitting || this.#failure !== undefined) return;
    if (this.#batch.matters) this.seal();
    const entries = this.#sealed;
    if (entries.length === 0) return;
    this.#sealed = [];
    this.#isCommitting = true;
    void this.#append(entries).then(
      () => {
        this.#isCommitting = false;
        this.#commit();
      },
      (error: unknown) => {
        if (this.#failure === undefined) this.#options.onFailed(error);
      },
    );
  }

  /** Appends in order and releases what waited. Entries issued together share the log's sync. */
  async #append(entries: SealedBatch[]): Promise<void> {
    const { log, epoch, shard, clock } = this.#options;
    const ownerTimeMs = clock.nowMs();
    const append = ({ seq, payload, factCount }: SealedBatch) =>
      log.append(payload, seq - 1, { epoch, ownerTimeMs, factCount });
    const results = entries.map(append);
    // When one fails, all behind it do: the first is reported below, and the others must not end the process.
    for (const result of results) result.catch(() => undefined);
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as SealedBatch;
      let result = await (results[index] as (typeof results)[number]);
      while (result.is === "unknown") {
        await pause(clock, RETRY_MS);
        result = await append(entry);
      }
      if (result.is === "conflict") {
        throw new Fault("LogFenced", `Shard ${shard} was taken over by another owner at entry ${result.tail}.`);
      }
      this.#becomeDurable(entry);
    }
  }

  #becomeDurable({ seq, payload }: SealedBatch): void {
    if (this.#failure !== undefined) return;
    assert(seq === this.durableSeq + 1, "entries become durable in order");
    this.durableSeq = seq;
    this.durableBytes += payload.length;
    this.#undurable.delete(seq);
    const waits = this.#waits;
    let released = 0;
    while (released < waits.length && (waits[released] as DurableWait).seq <= seq) {
      const { resolve, answer } = waits[released] as DurableWait;
      resolve(answer);
      released += 1;
    }
    if (released > 0) waits.splice(0, released);
  }
}
