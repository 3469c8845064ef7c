// One shard at work: its engine state over its log.
//
//   run:     time moves on -> the engine decides -> facts are applied at once and given to the committer
//   answers: wait for the entry that they depend on (`whenDurable`), never less
//
// The state runs ahead of the disk, answers never do. If an append fails, everything not acknowledged is dropped and
// the shard is read again from its log. Modes: serving -> recovering -> serving; any -> stopped.

import { assert } from "../base/assert.ts";
import type { Clock, TimerHandle } from "../base/clock.ts";
import { Fault, isFault } from "../base/fault.ts";
import { pause } from "../base/pause.ts";
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
  timeStep,
} from "../engine/index.ts";
import type { ShardLog, ShardStorage } from "../log/index.ts";
import { envelopeAlone } from "./batch.ts";
import { Committer } from "./committer.ts";
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

export class Shard {
  readonly index: number;
  readonly waiters = new Waiters();
  mode: "serving" | "recovering" | "stopped" = "recovering";
  state: ShardState;
  epoch = 0;
  snapshotSeq = 0;
  readonly #options: ShardOptions;
  readonly #clock: Clock;
  #storage: ShardStorage | undefined;
  #opened: Committer | undefined;
  /** What had to be read since the newest snapshot when the shard was opened; below 0 once a newer one covers more. */
  #replayedBytes = 0;
  readonly #record: Recorder;
  /** The time that the log knows; the state's may be ahead. */
  #recordedTimeMs = 0;
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

  get #committer(): Committer {
    assert(this.#opened !== undefined, "the shard was opened");
    return this.#opened;
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
      throw this.#stoppedFault();
    }
    this.state = recovered.state;
    this.epoch = recovered.epoch + 1;
    this.snapshotSeq = recovered.snapshotSeq;
    this.#replayedBytes = recovered.replayedBytes;
    const committer = this.#newCommitter(this.#storage.log);
    this.#opened = committer;
    this.#recordedTimeMs = this.state.nowMs;
    this.#failure = undefined;
    this.mode = "serving";
    // An entry of the new epoch, before anything is answered: whoever owned the shard before can append no more.
    await this.whenDurable(committer.seal());
    this.#scheduleWake();
  }

  #newCommitter(log: ShardLog): Committer {
    const { cache, clock } = this.#options;
    const onFailed = (error: unknown) => this.#fail(error);
    return new Committer({ shard: this.index, epoch: this.epoch, log, cache, clock, onFailed });
  }

  /**
   * Lets `decide` act on the state at the present time. Everything it records is applied when it returns; its
   * answer may leave once `whenDurable(dependsOn)` resolves.
   */
  run<Answer>(decision: (state: ShardState, record: Recorder) => Answer): { answer: Answer; dependsOn: number } {
    this.assertServing();
    const answer = this.#decide(decision);
    const dependsOn = this.#committer.newestSeq;
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
    return this.#committer.whenDurable(seq, answer);
  }

  /** Everything recorded so far, durable. */
  async flush(): Promise<void> {
    if (this.mode !== "serving") return;
    await this.whenDurable(this.#committer.newestSeq);
  }

  /** Ends what is recorded into, so that the state is exactly what the log holds up to the answered entry. */
  cut(): number {
    return this.#committer.cut();
  }

  /** The newest durable entry. */
  get durableSeq(): number {
    return this.#opened?.durableSeq ?? 0;
  }

  /** Bytes recorded but not yet durable. */
  get pendingBytes(): number {
    return this.#committer.pendingBytes;
  }

  /** Bytes of durable entries since the newest snapshot: how long a replay has become. */
  get bytesSinceSnapshot(): number {
    return this.#replayedBytes + this.#committer.durableBytes;
  }

  /** The newest snapshot is of entry `seq` now, and makes the replay shorter by `bytes`. */
  snapshotTaken(seq: number, bytes: number): void {
    this.snapshotSeq = seq;
    this.#replayedBytes -= Math.min(bytes, this.bytesSinceSnapshot);
  }

  get isIdle(): boolean {
    return this.#committer.isIdle && this.#servedLater.size === 0 && !isTimeDue(this.state, this.#clock.nowMs());
  }

  /** The envelope of a row, standing alone: at once when it is in memory, else read from the log. */
  readEnvelope(slot: number): Buffer | Promise<Buffer> {
    const { table } = this.state;
    const seq = table.bodyEntry.get(slot);
    const offset = table.bodyOffset.get(slot);
    const bytes = table.bodyBytes.get(slot);
    const undurable = this.#committer.read(seq, offset, bytes);
    if (undurable !== undefined) return undurable;
    const cached = this.#options.cache.get(this.index, seq);
    return cached === undefined ? this.#readCold(seq, offset, bytes) : envelopeAlone(cached, offset, bytes);
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
    if (this.mode === "stopped") throw this.#stoppedFault();
    throw this.#recoveringFault();
  }

  /** Makes everything durable and closes the log. Waiting receives have been answered by the host. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeTimer?.cancel();
    if (this.mode === "serving") await this.flush();
    this.mode = "stopped";
    this.#opened?.fail(this.#stoppedFault());
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
        this.#options.log("error", `A bug: shard ${this.index} failed at log entry ${this.#committer.openSeq}.`, {
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
    return this.#committer.add(fact);
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
    this.#committer.commandEnded();
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

  /** The log did not take an entry: drop what was not acknowledged and read the log again. */
  #fail(error: unknown): void {
    if (this.mode === "stopped") return;
    this.mode = "recovering";
    const told = this.#toldToOthers(error);
    this.#failure = told;
    this.#opened?.fail(told);
    this.#options.cache.forgetShard(this.index);
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

  #stoppedFault(): Fault {
    return new Fault("ShardStopped", `Shard ${this.index} was stopped.`);
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
        await pause(this.#clock, RETRY_MS);
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
    return envelopeAlone(await reading, offset, bytes);
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
}
