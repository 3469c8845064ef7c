// The world of one seed: time, a disk, and a server that lives, dies and lives again. The server is the production
// host, engine and log; only clock, disk, ids and the log's writer ids come from here.
//
// A life ends by a power cut, a kill or a stop. What belongs to an ended life is cut off from the new one: its disk
// calls never return and its timers never run, as for a process that is no more. Its callers never hear an answer.

import { isFault } from "../src/base/fault.ts";
import { Random } from "../src/base/random.ts";
import type { CommandKind, CommandOf, Outcome } from "../src/engine/command.ts";
import { type HostOptions, startHost } from "../src/host/index.ts";
import type { Outbound } from "../src/host/outbound.ts";
import type { MillpondHost } from "../src/host/start-host.ts";
import { openSegmentStorage, type ShardStorage } from "../src/log/index.ts";
import { TestDisk } from "../src/log/test-disk.ts";
import { seededIds } from "../src/testing/seeded-ids.ts";
import type { PlantedFault } from "./faults/planted-fault.ts";
import type { Plan } from "./plan.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { Life, SimulatedTime } from "./simulated-time.ts";
import { Trace, Violation } from "./trace.ts";

const NO_TOPICS = { publications: 0, copiesReceived: 0, posts: 0, gaveUp: 0, confirmations: 0 };
const STARTED_AT_MS = 1_700_000_000_000;
/** No request of ours may take longer than this once the disk is well; long polls are hung up before. */
const PATIENCE_MS = 120_000;
const NEAR_MS = 50;
const QUIET_TURNS = 20;
/** The server's own pauses are shorter; what is due later must be waited for only when nothing else is left to do. */
const PAUSE_MS_MAX = 5000;
const LONG_QUIET_TURNS = 2000;
const STEPS_MAX = 400_000;
const STARTS_MAX = 30;

interface OpenCall {
  life: Life;
  lose: () => void;
}

export class World {
  readonly plan: Plan;
  readonly time = new SimulatedTime(STARTED_AT_MS);
  readonly trace: Trace;
  readonly disk: TestDisk;
  readonly random: Random;
  host: MillpondHost | undefined;
  violation: Violation | undefined;
  auditCount = 0;
  /** An audit is reading the log. */
  isComparing = false;
  /** Delivers for the host of one life. */
  outboundOf: ((life: Life) => Outbound) | undefined;
  /** How often a shard dropped what was not durable and read its log again. */
  #failures = 0;
  readonly counts = {
    starts: 0,
    powerCuts: 0,
    kills: 0,
    stops: 0,
    recoveries: 0,
    snapshots: 0,
    trims: 0,
    rescues: 0,
    ...NO_TOPICS,
  };
  #life = new Life(0);
  readonly #openCalls = new Set<OpenCall>();
  readonly #ids: HostOptions["ids"];
  readonly #fault: PlantedFault | undefined;
  #isPowerLost = false;

  constructor(plan: Plan, keepsTrace: boolean, fault: PlantedFault | undefined) {
    this.plan = plan;
    this.trace = new Trace(keepsTrace);
    this.random = new Random(plan.seed ^ 0x2545_f491);
    this.disk = new TestDisk(this.random.fork());
    this.#ids = seededIds(plan.seed);
    this.#fault = fault;
  }

  get nowMs(): number {
    return this.time.nowMs;
  }

  /** For the trace: seconds since the beginning. */
  get clock(): string {
    return ((this.time.nowMs - this.time.startedAtMs) / 1000).toFixed(3);
  }

  get isUp(): boolean {
    return this.host !== undefined && !this.#life.isOver;
  }

  get openCallCount(): number {
    return this.#openCalls.size;
  }

  /** Grows whenever something that was decided may have been undone. */
  get disturbances(): number {
    return this.counts.starts + this.#failures;
  }

  /** What is decided now is not about to be undone, as far as one can tell. */
  get isSteady(): boolean {
    return this.isUp && this.host?.shards.every((shard) => shard.mode === "serving") === true;
  }

  note(text: string): void {
    this.trace.add(`${this.clock} ${text}`);
  }

  /** The first violation counts; the run ends at the next step. */
  violated(error: unknown): void {
    if (this.violation !== undefined) return;
    if (error instanceof Violation) this.violation = error;
    else
      this.violation = new Violation(
        "no bugs",
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
  }

  /**
   * Sends a request. `done` gets the answer, or nothing when none came: the server died, or failed in a way that
   * says nothing about what it did.
   */
  call<Kind extends CommandKind>(
    command: CommandOf<Kind>,
    done: (outcome: Outcome<Kind> | undefined) => void,
    signal?: AbortSignal,
  ): void {
    const { host } = this;
    const life = this.#life;
    if (host === undefined || life.isOver) return done(undefined);
    const finish = (outcome: Outcome<Kind> | undefined) => {
      if (!this.#openCalls.delete(call)) return;
      try {
        done(outcome);
      } catch (error) {
        this.violated(error);
      }
    };
    const call: OpenCall = { life, lose: () => finish(undefined) };
    this.#openCalls.add(call);
    host.execute<Kind>(command, signal === undefined ? {} : { signal }).then(
      (outcome) => {
        if (!life.isOver) finish(outcome);
      },
      (error: unknown) => {
        if (life.isOver) return;
        this.judge(error);
        finish(undefined);
      },
    );
  }

  /** Moves time on, whatever happens to the server meanwhile. */
  async advanceTo(atMs: number): Promise<void> {
    while (this.time.nextMs <= atMs) await this.#step();
    this.time.nowMs = Math.max(this.time.nowMs, atMs);
    await this.#step(false);
  }

  /** Runs the world until that is so. False when the server died before. */
  async until(isSo: () => boolean, promise: string): Promise<boolean> {
    const life = this.#life;
    const limitMs = this.time.nowMs + PATIENCE_MS;
    let quietTurns = 0;
    for (let steps = 0; !isSo(); steps++) {
      if (life.isOver) return false;
      // What needs no time must not have to wait for a timer that is far away.
      const waitMs = this.time.nextMs - this.time.nowMs;
      quietTurns = waitMs < NEAR_MS ? 0 : quietTurns + 1;
      const timePasses = quietTurns % (waitMs < PAUSE_MS_MAX ? QUIET_TURNS : LONG_QUIET_TURNS) === 0;
      const isTooLate = timePasses && this.time.nowMs > limitMs;
      if (isTooLate || steps > STEPS_MAX) throw new Violation(promise, "it does not happen");
      await this.#step(timePasses);
    }
    return !life.isOver;
  }

  /** The value of a promise of the server's; undefined when the server died before. */
  async outcomeOf<Value>(promise: Promise<Value>, what: string): Promise<{ value: Value } | undefined> {
    const life = this.#life;
    let outcome: { value: Value } | { error: unknown } | undefined;
    promise.then(
      (value) => {
        outcome = { value };
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    await this.until(() => outcome !== undefined, what);
    if (outcome === undefined || life.isOver) return undefined;
    if ("error" in outcome) throw outcome.error;
    return outcome;
  }

  async #step(timePasses = true): Promise<void> {
    if (timePasses) await this.time.step();
    else await this.time.turn();
    if (this.#isPowerLost) this.powerCut("the power is lost");
    if (this.violation !== undefined) throw this.violation;
  }

  /** Everything unsynced may be lost or torn, and the server with it. */
  powerCut(why = "power cut"): void {
    this.#isPowerLost = false;
    this.counts.powerCuts += 1;
    this.note(why);
    this.#endLife();
    this.disk.powerCut();
  }

  /** The process dies; the system keeps what was written. */
  kill(): void {
    this.counts.kills += 1;
    this.note("kill");
    this.#endLife();
    this.disk.kill();
  }

  async stop(): Promise<void> {
    const { host } = this;
    if (host === undefined) return;
    this.counts.stops += 1;
    this.note("stop");
    try {
      await this.outcomeOf(host.stop(), "a stop comes to an end");
    } catch (error) {
      this.judge(error);
    }
    this.#endLife();
    this.disk.kill();
  }

  /** Starts the server, again and again if need be, as whoever runs it would. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (attempt > STARTS_MAX) throw new Violation("the server starts", "it does not, although the disk is well");
      // Somebody frees some space in the end, and the power comes to stay.
      if (attempt > 3) this.heal();
      this.#life = new Life(this.#life.number + 1);
      this.counts.starts += 1;
      const host = await this.#startOnce();
      if (host !== undefined) {
        this.host = host;
        this.#fault?.afterStart?.(host, this.#life.number);
        host.startDeliveries();
        this.note(`serving, life ${this.#life.number}`);
        return;
      }
      if (!this.#life.isOver) this.kill();
      await this.advanceTo(this.time.nowMs + 1000);
    }
  }

  get comparesStates(): boolean {
    return this.#fault?.hidesFromComparison !== true;
  }

  heal(): void {
    this.disk.bytesMax = Number.POSITIVE_INFINITY;
  }

  async #startOnce(): Promise<MillpondHost | undefined> {
    try {
      const started = await this.outcomeOf(startHost(this.#hostOptions()), "a start comes to an end");
      return started?.value as MillpondHost | undefined;
    } catch (error) {
      if (error instanceof Violation) throw error;
      this.judge(error);
      if (this.violation !== undefined) throw this.violation;
      return undefined;
    }
  }

  #hostOptions(): HostOptions {
    const life = this.#life;
    const { plan, time } = this;
    const random = this.random.fork();
    const disk = new SimulatedDisk(this.disk, time, life, this.random.fork(), plan.delays, () => this.#losePower(life));
    return {
      shardCount: plan.shardCount,
      clock: time.clockOf(life),
      ids: this.#ids,
      awsDelays: false,
      bodyCacheBytesMax: plan.bodyCacheBytesMax,
      thresholds: plan.thresholds,
      ...(this.outboundOf === undefined ? {} : { outbound: this.outboundOf(life) }),
      log: (level, text, details) => {
        if (!life.isOver) this.#hear(level, text, details);
      },
      openStorage: async (shard) => {
        // An ended life opens nothing any more.
        if (life.isOver) return new Promise<ShardStorage>(() => undefined);
        const storage = await openSegmentStorage({
          disk: this.#fault?.disk?.(disk, random) ?? disk,
          folder: `/data/shards/${shard}`,
          shard,
          writerId: random.bits(),
          durability: "fsync",
          segmentBytesMax: plan.segmentBytesMax,
        });
        const watched = this.#watch(storage);
        return this.#fault?.storage?.(watched, random) ?? watched;
      },
    };
  }

  /** Counts what happens in the background, so that a run can say whether it happened. */
  #watch(storage: ShardStorage): ShardStorage {
    const { log, snapshots } = storage;
    const trim = log.trim.bind(log);
    log.trim = (upTo, mayDelete) =>
      trim(upTo, (segment) => {
        const goes = mayDelete(segment);
        if (goes) this.counts.trims += 1;
        return goes;
      });
    const read = log.read.bind(log);
    log.read = (from) => {
      // A serving shard reads its log only to clean it.
      if (this.host !== undefined && !this.isComparing) this.counts.rescues += 1;
      return read(from);
    };
    const put = snapshots.put.bind(snapshots);
    snapshots.put = async (seq, chunks) => {
      const ref = await put(seq, chunks);
      this.counts.snapshots += 1;
      return ref;
    };
    return storage;
  }

  #losePower(life: Life): void {
    if (life.isOver) return;
    life.isOver = true;
    this.#isPowerLost = true;
  }

  #endLife(): void {
    this.#life.isOver = true;
    this.host = undefined;
    for (const call of [...this.#openCalls]) call.lose();
  }

  #hear(level: string, text: string, details: Record<string, unknown> | undefined): void {
    const reason = String(details?.reason ?? details?.stack ?? "");
    if (level !== "debug") this.note(`${level}: ${text} ${reason}`);
    if (text.startsWith("A bug") || text.includes("This is a bug"))
      this.violated(new Violation("no bugs", `${text} ${reason}`));
    if (/damaged|lacks the log entries|is not in \/data|cannot be applied|taken over/.test(`${text} ${reason}`)) {
      this.violated(new Violation("what was stored is readable", `${text} ${reason}`));
    }
    if (text.includes("could not write its log")) this.#failures += 1;
    if (text.includes("serves again")) this.counts.recoveries += 1;
  }

  /** A fault is the world's doing and to be expected here, unless it speaks of damage; anything else is a bug. */
  judge(error: unknown): undefined {
    if (!isFault(error)) {
      this.violated(error);
      return undefined;
    }
    this.note(`fault ${error.code}: ${error.message}`);
    if (error.code === "LogDamaged" || error.code === "LogFenced" || error.code === "FormatTooNew") {
      this.violated(new Violation("what was stored is readable", error.message));
    }
    return undefined;
  }
}
