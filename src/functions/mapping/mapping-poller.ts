// One event source mapping at work: lanes that each gather a batch, call the function and settle, and a count of lanes
// that follows the backlog. A lane receives only when it can call at once, so what waits for a free lane waits in the
// queue and loses no receive count.
//
// A change is followed without breaking anything off: lanes that only wait are called back and begin anew under the new
// plan, lanes with a batch end it under the old one. Every lane looks at what is wanted before it begins the next batch.
//
//   wanted Enabled    reached when no lane works under an older plan
//   wanted Disabled   reached when the last lane has ended
//   wanted Deleted    the same
//
// An idle mapping is its lanes in long polls, and nothing else: no timer of its own runs.

import { setMaxListeners } from "node:events";
import type { Clock, TimerHandle } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import { pause } from "../../base/pause.ts";
import type { MappingRecord } from "../../engine/command.ts";
import { WINDOW_VISIBILITY_SPARE_MS } from "../../engine/function-limits.ts";
import { settledMappingState } from "../../host/index.ts";
import { Batch, type HeldMessage } from "./batch.ts";
import { callFunction } from "./call-function.ts";
import type { FailureReasons } from "./failure-reasons.ts";
import { type Gathered, gather } from "./gather.ts";
import { LaneCount, LOOK_MS, type Recent, SLEEP_AFTER_MS } from "./lane-count.ts";
import type { MappingReport } from "./mapping-report.ts";
import { MappingTeller } from "./mapping-story.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { type Plan, planKey, planOf } from "./plan.ts";
import { type InvokeFunction, type OnReached, type ReachedState, SourceProblem, type SourceQueue } from "./ports.ts";
import { type Settlement, settle } from "./settlement.ts";

/** After the queue refused or could not serve: doubled with each time in a row. */
const RETRY_MS_MIN = 1000;
const RETRY_MS_MAX = 30_000;
/** A backlog that is worked off within this time at the present rate needs no more lanes. */
const SOON_MS = 5000;

export interface PollerWorld {
  clock: Clock;
  openQueue: (eventSourceArn: string) => SourceQueue;
  invoke: InvokeFunction;
  /** Undefined when there is no such function (any more). */
  functionTimeoutMs: (functionArn: string) => number | undefined;
  onReached: OnReached;
  /** Shared by all mappings. */
  reasons: FailureReasons;
  log: (level: "debug" | "info" | "warn" | "error", text: string, details?: Record<string, unknown>) => void;
}

interface Lane {
  plan: Plan;
  /** What it does; `waiting` is for a message, for its turn to gather, or for a queue that does not serve. */
  does: "waiting" | "receiving" | "calling";
  /** Ends a wait; what it has gathered is worked off. */
  callBack: AbortController;
  retryMs: number;
  ended: Promise<void>;
}

export class MappingPoller {
  readonly #world: PollerWorld;
  #record: MappingRecord;
  #plan: Plan;
  #queue: SourceQueue;
  readonly #lanes = new Set<Lane>();
  readonly #count: LaneCount;
  readonly #gathering = new OneAtATime();
  readonly #teller: MappingTeller;
  #recent: Recent = { succeeded: 0, failed: 0, throttled: 0, messages: 0 };
  #lookTimer: TimerHandle | undefined;
  #receivedSinceLook = false;
  #receivedAtMs: number;
  /** Aborted on stop: nothing new begins, and throttled batches are let go. */
  readonly #stopping = new AbortController();
  /** Aborted when stopping took too long: calls are broken off. */
  readonly #breakOff = new AbortController();
  #told: MappingRecord | undefined;
  #visibilityMs = 0;
  #visibilityStaleAtMs = 0;
  /** Counts what happened, so that a test can see that nothing does any more. */
  steps = 0;

  constructor(record: MappingRecord, world: PollerWorld) {
    this.#world = world;
    this.#teller = new MappingTeller(world.reasons);
    this.#record = record;
    this.#plan = planOf(record);
    this.#queue = world.openQueue(record.eventSourceArn);
    this.#count = new LaneCount(this.#plan.limits);
    this.#receivedAtMs = world.clock.nowMs();
    // Every call under way listens to them.
    setMaxListeners(0, this.#stopping.signal, this.#breakOff.signal);
    this.#follow();
  }

  follow(record: MappingRecord): void {
    const { eventSourceArn } = this.#plan;
    this.#record = record;
    if (planKey(record) !== this.#plan.key) {
      this.#plan = planOf(record);
      if (record.eventSourceArn !== eventSourceArn) this.#queue = this.#world.openQueue(record.eventSourceArn);
      this.#count.changeLimits(this.#plan.limits);
      for (const lane of this.#lanes) callBack(lane);
    }
    this.#follow();
  }

  /** Resolves when nothing is under way; calls that take longer than `drainMs` are broken off, and their batches return. */
  async stop(drainMs: number): Promise<void> {
    this.#stopping.abort();
    this.#lookTimer?.cancel();
    for (const lane of this.#lanes) callBack(lane);
    const { clock } = this.#world;
    const timer = clock.setTimer(clock.nowMs() + drainMs, () => this.#breakOff.abort());
    await Promise.all([...this.#lanes].map(({ ended }) => ended));
    timer.cancel();
  }

  report(): MappingReport {
    const lanes = [...this.#lanes];
    const calling = lanes.filter(({ does }) => does === "calling").length;
    // Whoever keeps the records has been told what was reached, and does not tell it back.
    const state = this.#record === this.#told ? settledMappingState(this.#record.state) : undefined;
    const mapping = state === undefined ? this.#record : { ...this.#record, state };
    return {
      mapping,
      lanes: { target: this.#count.target, calling, waiting: lanes.length - calling },
      ...this.#teller.tell(),
    };
  }

  get #wanted(): ReachedState {
    return settledMappingState(this.#record.state) ?? "Deleted";
  }

  #follow(): void {
    if (this.#wanted !== "Enabled") {
      this.#lookTimer?.cancel();
      this.#lookTimer = undefined;
      for (const lane of this.#lanes) callBack(lane);
    } else if (this.#plan.filter === undefined) {
      this.#tellError("BadFilter", "The filter criteria cannot be read, so nothing is taken from the queue.");
    }
    this.#fillLanes();
    this.#tellReached();
  }

  /** Begins and calls back lanes, so that there are as many as there should be. */
  #fillLanes(): void {
    const wanted = this.#isPolling ? this.#count.target : 0;
    while (this.#lanes.size < wanted) this.#beginLane();
    let tooMany = this.#lanes.size - wanted;
    for (const lane of this.#lanes) {
      if (tooMany <= 0) return;
      tooMany -= 1;
      // One that receives may be about to bring something; it sees for itself when it is done.
      if (lane.does === "waiting") callBack(lane);
    }
  }

  get #isPolling(): boolean {
    return this.#wanted === "Enabled" && this.#plan.filter !== undefined && !this.#stopping.signal.aborted;
  }

  #beginLane(): void {
    const lane: Lane = {
      plan: this.#plan,
      does: "waiting",
      callBack: new AbortController(),
      retryMs: RETRY_MS_MIN,
      ended: Promise.resolve(),
    };
    this.#lanes.add(lane);
    lane.ended = this.#run(lane).finally(() => {
      this.#lanes.delete(lane);
      this.#fillLanes();
      this.#tellReached();
    });
  }

  async #run(lane: Lane): Promise<void> {
    let left: HeldMessage[] = [];
    for (;;) {
      this.steps += 1;
      if (this.#stopping.signal.aborted) return;
      if (left.length === 0) {
        if (!this.#isPolling || this.#lanes.size > this.#count.target) return;
        if (lane.plan !== this.#plan) {
          lane.plan = this.#plan;
          this.#tellReached();
        }
      }
      if (lane.callBack.signal.aborted) lane.callBack = new AbortController();
      left = await this.#round(lane, left);
    }
  }

  /** From waiting to settled. Answers what is left for the next batch; never rejects. */
  async #round(lane: Lane, before: HeldMessage[]): Promise<HeldMessage[]> {
    try {
      const { batch, left } = await this.#gather(lane, before);
      if (batch.isEmpty) {
        this.#foundNothing();
        return [];
      }
      lane.retryMs = RETRY_MS_MIN;
      const { failed } = await this.#call(lane, batch);
      // What follows a failed message in its group must not be handled before it.
      return this.#queue.isFifo ? withoutGroupsOf(left, failed) : left;
    } catch (error) {
      await this.#retryLater(lane, error);
      return [];
    } finally {
      lane.does = "waiting";
    }
  }

  async #gather(lane: Lane, before: HeldMessage[]): Promise<Gathered> {
    const { plan } = lane;
    const { signal } = lane.callBack;
    const nothing = { batch: new Batch(plan.batchSize), left: [] };
    const takesTurns = plan.windowMs > 0 && !this.#queue.isFifo && before.length === 0;
    if (takesTurns && !(await this.#gathering.enter(signal))) return nothing;
    try {
      const { heldMs, overrideMs } = await this.#visibility(plan);
      return await gather(
        {
          queue: this.#queue,
          clock: this.#world.clock,
          eventSourceArn: plan.eventSourceArn,
          batchSize: plan.batchSize,
          windowMs: plan.windowMs,
          filter: plan.filter ?? never,
          heldMs,
          visibilityTimeoutMs: overrideMs,
          onReceived: (messages) => this.#received(lane, messages),
          onFiltered: (messages) => this.#teller.filteredOut(messages),
          onTrouble: (error) => this.#tellTrouble(error),
        },
        before,
        signal,
      );
    } finally {
      if (takesTurns) this.#gathering.leave();
    }
  }

  /**
   * How long messages are held: as the queue says, unless its time is too short for the window and the function
   * together; then AWS holds them for both and 30 s. The queue is asked once a second at most.
   */
  async #visibility({ windowMs, functionArn }: Plan): Promise<{ heldMs: number; overrideMs: number | undefined }> {
    const nowMs = this.#world.clock.nowMs();
    if (nowMs >= this.#visibilityStaleAtMs) {
      this.#visibilityMs = await this.#queue.visibilityTimeoutMs();
      this.#visibilityStaleAtMs = nowMs + LOOK_MS;
    }
    const neededMs = windowMs + (this.#world.functionTimeoutMs(functionArn) ?? 0);
    if (windowMs === 0 || neededMs <= this.#visibilityMs) return { heldMs: this.#visibilityMs, overrideMs: undefined };
    const overrideMs = neededMs + WINDOW_VISIBILITY_SPARE_MS;
    return { heldMs: overrideMs, overrideMs };
  }

  async #call(lane: Lane, batch: Batch): Promise<Settlement> {
    const { plan } = lane;
    const { clock, invoke } = this.#world;
    const { messages } = batch;
    const fromMs = clock.nowMs();
    lane.does = "calling";
    const outcome = await callFunction({
      invoke,
      functionArn: plan.functionArn,
      payload: batch.payload(),
      clock,
      heldUntilMs: batch.heldUntilMs,
      letGo: this.#stopping.signal,
      isLetGo: () => !this.#isPolling,
      signal: this.#breakOff.signal,
      onThrottled: () => {
        this.#teller.throttled();
        this.#recent.throttled += 1;
      },
    });
    this.steps += 1;
    const settlement = settle(messages, outcome, plan.reportsBatchItemFailures);
    // Broken off by us: nothing is known of it, and after the next start it is tried again.
    if (this.#breakOff.signal.aborted && outcome.is !== "answered") return settlement;
    if (settlement.isWhole) this.#recent.failed += 1;
    else this.#recent.succeeded += 1;
    this.#recent.messages += messages.length;
    this.#teller.settled(messages, settlement, plan.functionArn, fromMs, clock.nowMs());
    if (settlement.succeeded.length > 0) await this.#delete(settlement.succeeded, batch.heldUntilMs);
    return settlement;
  }

  /** Goes on trying for as long as the messages are held: what is not deleted is handled again. */
  async #delete(messages: HeldMessage[], heldUntilMs: number): Promise<void> {
    const { clock } = this.#world;
    for (;;) {
      try {
        const tooLate = await this.#queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
        this.#teller.deleted(messages, tooLate);
        return;
      } catch (error) {
        this.#tellTrouble(error);
        if (!isFault(error) || clock.nowMs() + RETRY_MS_MIN >= heldUntilMs || this.#stopping.signal.aborted) {
          this.#teller.deleted(messages, messages.length);
          return;
        }
        await pause(clock, RETRY_MS_MIN, this.#breakOff.signal);
      }
    }
  }

  #received(lane: Lane, messages: number): void {
    lane.does = "receiving";
    this.#teller.received(messages);
    this.#receivedAtMs = this.#world.clock.nowMs();
    this.#receivedSinceLook = true;
    this.#count.wake();
    this.#fillLanes();
    this.#lookSoon();
  }

  #foundNothing(): void {
    if (this.#world.clock.nowMs() - this.#receivedAtMs < SLEEP_AFTER_MS) return;
    this.#count.sleep();
    this.#fillLanes();
  }

  #lookSoon(): void {
    if (this.#lookTimer !== undefined || !this.#isPolling) return;
    const { clock } = this.#world;
    this.#lookTimer = clock.setTimer(clock.nowMs() + LOOK_MS, () => {
      this.#lookTimer = undefined;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.steps += 1;
    const recent = this.#recent;
    this.#recent = { succeeded: 0, failed: 0, throttled: 0, messages: 0 };
    const isAtWork = [...this.#lanes].some(({ does }) => does !== "waiting");
    if (!this.#receivedSinceLook && !isAtWork) {
      this.#count.rest();
      this.#fillLanes();
      return;
    }
    this.#receivedSinceLook = false;
    if (this.#count.isTroubled(recent)) this.#count.shrink();
    else if (this.#count.canGrow && this.#isEveryLaneTaken) this.#count.grow(await this.#batchesWaiting(recent));
    this.#fillLanes();
    this.#lookSoon();
  }

  /**
   * Lanes of a FIFO queue wait for groups that are free, and lanes with a window for their turn: more of them would not
   * help. On other queues a lane that waits while there is a backlog is about to get some of it.
   */
  get #isEveryLaneTaken(): boolean {
    const mayWait = this.#queue.isFifo || this.#plan.windowMs > 0;
    return !mayWait || [...this.#lanes].every(({ does }) => does !== "waiting");
  }

  /** What the backlog comes to, unless the lanes that there are will soon be through with it. */
  async #batchesWaiting(recent: Recent): Promise<number> {
    try {
      const backlog = await this.#queue.backlog();
      return backlog <= recent.messages * (SOON_MS / LOOK_MS) ? 0 : Math.ceil(backlog / this.#plan.batchSize);
    } catch {
      // The lanes meet the same problem and tell of it.
      return 0;
    }
  }

  async #retryLater(lane: Lane, error: unknown): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#tellTrouble(error);
    await pause(this.#world.clock, lane.retryMs, lane.callBack.signal);
    lane.retryMs = Math.min(lane.retryMs * 2, RETRY_MS_MAX);
  }

  #tellTrouble(error: unknown): void {
    if (error instanceof SourceProblem || isFault(error)) return this.#tellError(error.code, error.message);
    const stack = error instanceof Error ? error.stack : String(error);
    this.#tellError("Bug", error instanceof Error ? error.message : String(error));
    this.#world.log("error", `The event source mapping ${this.#record.uuid} met a bug in Millpond.`, { stack });
  }

  #tellError(kind: string, reason: string): void {
    this.#teller.error({ atMs: this.#world.clock.nowMs(), kind, reason, messages: 0 });
  }

  #tellReached(): void {
    const record = this.#record;
    const wanted = this.#wanted;
    if (record === this.#told || record.state === wanted || this.#stopping.signal.aborted) return;
    const lanes = [...this.#lanes];
    if (wanted === "Enabled" ? lanes.some(({ plan }) => plan !== this.#plan) : lanes.length > 0) return;
    this.#told = record;
    queueMicrotask(() => {
      if (this.#record === record) this.#world.onReached(record, wanted);
    });
  }
}

const never = () => false;

/** Once: every abort makes an error with a stack, whether anybody wants it or not. */
function callBack({ callBack: controller }: Lane): void {
  if (!controller.signal.aborted) controller.abort();
}

function withoutGroupsOf(left: HeldMessage[], failed: HeldMessage[]): HeldMessage[] {
  const groups = new Set(failed.map(({ groupId }) => groupId));
  return left.filter(({ groupId }) => !groups.has(groupId));
}
