// One shard at work: its engine state, the batch of facts not yet in the log, and the commit loop.
//
//   run:     time moves on -> the engine decides -> facts are applied at once and join the batch
//   commit:  one append (one sync) at a time; what arrives meanwhile forms the next batch
//   answers: wait for the entry that they depend on (`whenDurable`), never less
//
// The state runs ahead of the disk, answers never do. If an append fails, everything not acknowledged is dropped and
// the shard is read again from its log. Modes: serving -> recovering -> serving; any -> stopped.

import { assert } from "../base/assert.ts";
import type { Clock, TimerHandle } from "../base/clock.ts";
import { Fault, isFault } from "../base/fault.ts";
import {
  apply,
  type BodyRef,
  decide,
  type EngineSettings,
  type Fact,
  isOfTime,
  isTimeDue,
  nextWakeMs,
  type Recorder,
  type ShardCommandKind,
  type ShardCommandOf,
  type ShardResult,
  ShardState,
  standalone,
  timeStep,
} from "../engine/index.ts";
import type { ShardStorage } from "../log/index.ts";
import { BATCH_BYTES_TARGET, OpenBatch, type SealedBatch } from "./batch.ts";
import type { EntryCache } from "./entry-cache.ts";
import type { HostOptions } from "./host.ts";
import { recoverShard } from "./recovery.ts";
import { Waiters } from "./waiters.ts";

/** Without waiters or tasks the shard looks at what time did at most this often. */
const IDLE_WAKE_MS = 1000;
const RETRY_MS = 1000;

export interface ShardOptions extends Pick<HostOptions, "clock" | "openStorage" | "log"> {
  settings: EngineSettings;
  cache: EntryCache;
  /** Called after the state changed and at each wake: outbox and move tasks may have work. */
  onWork: (shard: Shard) => void;
  /** Called when a recovery has ended and the shard serves again. */
  onRecovered: (shard: Shard) => void;
}

/** Somebody whose answer leaves when entry `seq` is durable. */
interface DurableWait {
  seq: number;
  answer: unknown;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

export class Shard {
  readonly index: number;
  readonly waiters = new Waiters();
  mode: "serving" | "recovering" | "stopped" = "recovering";
  state: ShardState;
  epoch = 0;
  durableSeq = 0;
  snapshotSeq = 0;
  /** Bytes appended since the newest snapshot: how long a replay has become. */
  bytesSinceSnapshot = 0;
  readonly #options: ShardOptions;
  readonly #clock: Clock;
  #storage: ShardStorage | undefined;
  #batch = new OpenBatch(1);
  readonly #record: Recorder;
  /** The time that the log knows; the state's may be ahead. */
  #recordedTimeMs = 0;
  /** Sealed, in order, not yet handed to the log. */
  #sealed: SealedBatch[] = [];
  /** Payloads by entry, sealed and not yet known durable: the log cannot read them back, and no cache may drop them. */
  readonly #undurable = new Map<number, Buffer>();
  #committing = false;
  #flushScheduled = false;
  #durableWaits: DurableWait[] = [];
  readonly #coldReads = new Map<number, Promise<Buffer>>();
  #wakeTimer: TimerHandle | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #serving = false;
  #reopening = false;
  #isTimeHeld = false;
  /** Partitions whose waiters are tried again in a later turn. */
  readonly #servedLater = new Set<number>();
  #closed = false;
  /** Why it does not serve, as those are told who did not cause it. */
  #failure: Fault | undefined;

  constructor(options: ShardOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.index = options.settings.shard;
    this.state = new ShardState(options.settings);
    this.#record = (fact) => this.#add(fact);
  }

  get storage(): ShardStorage {
    assert(this.#storage !== undefined, "the shard is open");
    return this.#storage;
  }

  /** Reads the log, takes the shard over with a new epoch, and serves. */
  async open(): Promise<void> {
    this.#storage = await this.#options.openStorage(this.index);
    const recovered = await recoverShard(this.#storage, this.#options.settings, this.#options.log);
    if (this.#closed) {
      // Closed while it was being read: nobody else will give the files back.
      await this.#storage.log.close();
      throw new Fault("ShardStopped", `Shard ${this.index} was stopped.`);
    }
    this.state = recovered.state;
    this.epoch = recovered.epoch + 1;
    this.durableSeq = this.#storage.log.tail();
    this.snapshotSeq = recovered.snapshotSeq;
    this.bytesSinceSnapshot = recovered.replayedBytes;
    this.#batch = new OpenBatch(this.durableSeq + 1);
    this.#recordedTimeMs = this.state.nowMs;
    this.#failure = undefined;
    this.mode = "serving";
    // An entry of the new epoch, before anything is answered: whoever owned the shard before can append no more.
    this.#seal();
    await this.whenDurable(this.#batch.seq - 1);
    this.#scheduleWake();
  }

  /**
   * Lets `decide` act on the state at the present time. Everything it records is applied when it returns; its
   * answer may leave once `whenDurable(dependsOn)` resolves.
   */
  run<Answer>(decision: (state: ShardState, record: Recorder) => Answer): { answer: Answer; dependsOn: number } {
    this.assertServing();
    const answer = this.#decide(decision);
    const dependsOn = this.#batch.matters ? this.#batch.seq : this.#batch.seq - 1;
    this.#afterChange();
    // A waiter or task may have met a bug in this turn. What was decided here went with it, and must not be taken for
    // durable when the new entries reach its number.
    this.assertServing();
    return { answer, dependsOn };
  }

  perform<Kind extends ShardCommandKind>(
    command: ShardCommandOf<Kind>,
  ): { answer: ShardResult<Kind>; dependsOn: number } {
    return this.run((state, record) => decide<Kind>(state, command, record));
  }

  /** Resolves when entry `seq` and all before it are durable; undefined when they are already. */
  whenDurable(seq: number): Promise<void> | undefined;
  /** Resolves with `answer`, which saves the caller a promise of its own. */
  whenDurable<Answer>(seq: number, answer: Answer): Promise<Answer> | undefined;
  whenDurable(seq: number, answer?: unknown): Promise<unknown> | undefined {
    if (seq <= this.durableSeq) return undefined;
    if (seq === this.#batch.seq) this.#scheduleFlush();
    return new Promise((resolve, reject) => this.#durableWaits.push({ seq, answer, resolve, reject }));
  }

  /** Everything recorded so far, durable. */
  async flush(): Promise<void> {
    if (this.mode !== "serving") return;
    await this.whenDurable(this.#batch.matters ? this.#batch.seq : this.#batch.seq - 1);
  }

  /** Ends the open batch, so that the state is exactly what the log holds up to the answered entry. */
  cut(): number {
    if (this.#batch.factCount > 0) this.#seal();
    return this.#batch.seq - 1;
  }

  /** Bytes recorded but not yet durable. */
  get pendingBytes(): number {
    let bytes = this.#batch.bytes;
    for (const payload of this.#undurable.values()) bytes += payload.length;
    return bytes;
  }

  get isIdle(): boolean {
    return (
      !this.#committing &&
      this.#sealed.length === 0 &&
      !this.#batch.matters &&
      this.#servedLater.size === 0 &&
      !isTimeDue(this.state, this.#clock.nowMs())
    );
  }

  /** The envelope of a row, standing alone: at once when it is in memory, else read from the log. */
  readEnvelope(slot: number): Buffer | Promise<Buffer> {
    const { table } = this.state;
    const seq = table.bodyEntry.get(slot);
    const offset = table.bodyOffset.get(slot);
    const bytes = table.bodyBytes.get(slot);
    if (seq === this.#batch.seq) return this.#batch.read(offset, bytes);
    const inMemory = this.#undurable.get(seq) ?? this.#options.cache.get(this.index, seq);
    if (inMemory !== undefined) return alone(inMemory, offset, bytes);
    return this.#readCold(seq, offset, bytes);
  }

  /** Tries the partition's waiters again in a later turn: what is in their way is removed in steps. */
  serveLater(partition: number): void {
    const isScheduled = this.#servedLater.size > 0;
    this.#servedLater.add(partition);
    if (isScheduled) return;
    setImmediate(() => {
      const partitions = [...this.#servedLater];
      this.#servedLater.clear();
      this.#runUnasked((state) => {
        for (const id of partitions) state.readied.add(id);
      });
    });
  }

  /** A waiter or task joined: time is now watched closely. */
  watch(): void {
    this.#scheduleWake();
  }

  assertServing(): void {
    if (this.mode === "serving") return;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.mode === "stopped") throw new Fault("ShardStopped", `Shard ${this.index} was stopped.`);
    throw this.#recoveringFault();
  }

  /** Makes everything durable and closes the log. Waiting receives have been answered by the host. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeTimer?.cancel();
    if (this.mode === "serving") await this.flush();
    this.mode = "stopped";
    await this.#storage?.log.close();
  }

  /**
   * A failed assertion is a bug of ours: the state may be half changed. Nothing of it reaches the log; the shard is
   * read again as it was acknowledged, and the caller gets the error. Everybody else may try again.
   */
  #decide<Answer>(decision: (state: ShardState, record: Recorder) => Answer): Answer {
    try {
      this.#advanceTime();
      return decision(this.state, this.#record);
    } catch (error) {
      if (!isFault(error)) {
        this.#options.log("error", `A bug: shard ${this.index} failed at log entry ${this.#batch.seq}.`, {
          stack: error instanceof Error ? error.stack : String(error),
        });
        this.#fail(error);
      }
      throw error;
    }
  }

  #add(fact: Fact): void {
    if (!isOfTime(fact) && this.state.nowMs > this.#recordedTimeMs) {
      this.#encode({ kind: "TimeAdvanced", nowMs: this.state.nowMs });
    }
    const body = this.#encode(fact);
    apply(this.state, fact, body);
  }

  #encode(fact: Fact): BodyRef | undefined {
    if (isOfTime(fact)) this.#recordedTimeMs = fact.nowMs;
    return this.#batch.add(fact);
  }

  /**
   * Time that changes nothing by itself is recorded only with the next fact, so that looking writes nothing. When more
   * is due than one step changes, time stands still for the rest of the event loop's turn, whoever comes, and the next
   * turn takes the next step.
   */
  #advanceTime(): void {
    if (this.#isTimeHeld) return;
    const nowMs = Math.max(this.#clock.nowMs(), this.state.nowMs);
    if (!isTimeDue(this.state, nowMs)) {
      this.state.nowMs = nowMs;
      return;
    }
    this.#add(timeStep(nowMs));
    if (!isTimeDue(this.state, nowMs)) return;
    this.#isTimeHeld = true;
    setImmediate(() => {
      this.#isTimeHeld = false;
      this.#runUnasked(() => undefined);
    });
  }

  #afterChange(): void {
    // Between commands only: what a command records is in one entry, so that its facts may refer to each other.
    if (this.#batch.bytes >= BATCH_BYTES_TARGET) this.#seal();
    if (this.#batch.matters) this.#scheduleFlush();
    this.#serveWaiters();
    try {
      this.#options.onWork(this);
    } catch (error) {
      // A bug of the work that came along, reported where it was met: not the error of whose turn it is.
      if (this.mode === "serving") throw error;
    }
    this.#scheduleWake();
  }

  /** Waiting receives get what became available, in order of arrival, within this turn. */
  #serveWaiters(): void {
    if (this.#serving) return;
    this.#serving = true;
    try {
      if (this.waiters.count === 0) this.state.readied.clear();
      while (this.state.readied.size > 0) {
        const readied = [...this.state.readied];
        this.state.readied.clear();
        if (this.waiters.count > 0) for (const partition of readied) this.waiters.serve(partition);
      }
    } finally {
      this.#serving = false;
    }
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#committing) return;
    this.#flushScheduled = true;
    // Requests that arrived in the same turn of the event loop share one commit.
    setImmediate(() => {
      this.#flushScheduled = false;
      this.#commit();
    });
  }

  #seal(): void {
    const sealed = this.#batch.seal();
    this.#options.cache.put(this.index, sealed.seq, sealed.payload);
    this.#undurable.set(sealed.seq, sealed.payload);
    this.#sealed.push(sealed);
    this.#scheduleFlush();
  }

  #commit(): void {
    if (this.#committing || this.mode !== "serving") return;
    if (this.#batch.matters) this.#seal();
    const entries = this.#sealed;
    if (entries.length === 0) return;
    this.#sealed = [];
    this.#committing = true;
    void this.#append(entries).then(
      () => {
        this.#committing = false;
        this.#commit();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Appends in order and releases what waited. Entries issued together share the log's sync. */
  async #append(entries: SealedBatch[]): Promise<void> {
    const { log } = this.storage;
    const ownerTimeMs = this.#clock.nowMs();
    const results = entries.map(({ seq, payload, factCount }) =>
      log.append(payload, seq - 1, { epoch: this.epoch, ownerTimeMs, factCount }),
    );
    // When one fails, all behind it do: the first is reported below, and the others must not end the process.
    for (const result of results) result.catch(() => undefined);
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as SealedBatch;
      let result = await (results[index] as (typeof results)[number]);
      while (result.is === "unknown") {
        await this.#pause(RETRY_MS);
        result = await log.append(entry.payload, entry.seq - 1, {
          epoch: this.epoch,
          ownerTimeMs,
          factCount: entry.factCount,
        });
      }
      if (result.is === "conflict") {
        throw new Fault("LogFenced", `Shard ${this.index} was taken over by another owner at entry ${result.tail}.`);
      }
      this.bytesSinceSnapshot += entry.payload.length;
      this.#becomeDurable(entry.seq);
    }
  }

  #becomeDurable(seq: number): void {
    this.durableSeq = seq;
    this.#undurable.delete(seq);
    const waits = this.#durableWaits;
    let released = 0;
    while (released < waits.length && (waits[released] as { seq: number }).seq <= seq) {
      const { resolve, answer } = waits[released] as DurableWait;
      resolve(answer);
      released += 1;
    }
    if (released > 0) waits.splice(0, released);
  }

  /** The log did not take an entry: drop what was not acknowledged and read the log again. */
  #fail(error: unknown): void {
    if (this.mode === "stopped") return;
    this.mode = "recovering";
    const told = this.#toldToOthers(error);
    this.#failure = told;
    this.#committing = false;
    this.#sealed = [];
    this.#undurable.clear();
    this.#batch = new OpenBatch(0);
    this.#options.cache.forgetShard(this.index);
    const waits = this.#durableWaits;
    this.#durableWaits = [];
    for (const wait of waits) wait.reject(told);
    for (const waiter of this.waiters.takeAll()) waiter.fail(told);
    this.#options.log("error", `Shard ${this.index} could not write its log and is reading it again.`, {
      reason: error instanceof Error ? error.message : String(error),
    });
    // One at a time, or two would write the same files: an opening that fails at its first entry comes here, too, and
    // the attempts that it is one of go on.
    if (!this.#reopening) void this.#reopen().catch(() => undefined);
  }

  /** A fault explains itself. A bug is the business of the request that met it; the others can be repeated. */
  #toldToOthers(error: unknown): Fault {
    return isFault(error) ? error : this.#recoveringFault(error);
  }

  #recoveringFault(cause?: unknown): Fault {
    return new Fault(
      "ShardRecovering",
      `Shard ${this.index} is being read from its log: try again in a moment.`,
      cause,
    );
  }

  async #reopen(): Promise<void> {
    this.#reopening = true;
    while (!this.#closed) {
      try {
        await this.#storage?.log.close().catch(() => undefined);
        await this.open();
        // It may have failed again while this was under way.
        if (this.mode !== "serving") continue;
        this.#reopening = false;
        this.#options.log("info", `Shard ${this.index} serves again.`);
        break;
      } catch (error) {
        if (this.#closed) return;
        this.mode = "recovering";
        this.#failure = this.#toldToOthers(error);
        this.#options.log("error", `Shard ${this.index} could not be recovered yet.`, {
          reason: error instanceof Error ? error.message : String(error),
        });
        if (isFault(error, "LogDamaged") || isFault(error, "LogFenced")) return;
        await this.#pause(RETRY_MS);
      }
    }
    if (!this.#closed) this.#options.onRecovered(this);
  }

  /** Messages of one entry are often wanted together: it is read once for all who ask meanwhile. */
  async #readCold(seq: number, offset: number, bytes: number): Promise<Buffer> {
    let reading = this.#coldReads.get(seq);
    if (reading === undefined) {
      reading = this.#readEntry(seq).finally(() => this.#coldReads.delete(seq));
      this.#coldReads.set(seq, reading);
    }
    return alone(await reading, offset, bytes);
  }

  async #readEntry(seq: number): Promise<Buffer> {
    const { payload } = await this.storage.log.readEntry(seq);
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    this.#options.cache.put(this.index, seq, bytes);
    return bytes;
  }

  /** One timer for everything that time will do; it may fire early and is then set again. */
  #scheduleWake(): void {
    if (this.mode !== "serving" || this.#isTimeHeld) return;
    let atMs = nextWakeMs(this.state);
    if (atMs === Number.POSITIVE_INFINITY) return;
    const nowMs = this.#clock.nowMs();
    // A task that is due and was not taken on: the host is stopping, or the catalog is being read again.
    if (atMs <= nowMs && !isTimeDue(this.state, nowMs)) atMs = nowMs + RETRY_MS;
    const isWatched = this.waiters.count > 0 || this.state.runningTasks.size > 0;
    // More is due than one step of time may change: go on at once.
    const isBehind = atMs <= this.state.nowMs;
    if (!isWatched && !isBehind) atMs = Math.max(atMs, nowMs + IDLE_WAKE_MS);
    if (this.#wakeTimer !== undefined && this.#wakeAtMs <= atMs) return;
    this.#wakeTimer?.cancel();
    this.#wakeAtMs = atMs;
    this.#wakeTimer = this.#clock.setTimer(atMs, () => {
      this.#wakeTimer = undefined;
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#runUnasked(() => undefined);
    });
  }

  #runUnasked(decision: (state: ShardState) => void): void {
    if (this.mode !== "serving") return;
    try {
      this.run(decision);
    } catch (error) {
      // The shard is being read again: that was reported.
      if (this.mode === "serving") throw error;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimer(this.#clock.nowMs() + ms, resolve));
  }
}

function alone(payload: Buffer, offset: number, bytes: number): Buffer {
  const envelope = standalone(payload, offset, bytes);
  if (Buffer.isBuffer(envelope)) return envelope;
  return Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength);
}
