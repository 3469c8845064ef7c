// All event source mappings of a server at work. Whoever keeps the records says what they are; this says what has been
// reached and what happened.

import type { MappingRecord } from "../../engine/command.ts";
import type { Host } from "../../host/index.ts";
import { type FailureReason, FailureReasons } from "./failure-reasons.ts";
import { MappingPoller, type PollerWorld } from "./mapping-poller.ts";
import type { MappingReport, MappingReports } from "./mapping-report.ts";
import type { ReachedState } from "./ports.ts";
import { ReasonFiles } from "./reason-files.ts";
import { sourceQueue } from "./source-queue.ts";

export interface MappingPollersOptions extends Omit<PollerWorld, "openQueue" | "reasons"> {
  host: Host;
  /** Where the reasons of failed messages outlive a restart; absent: nowhere. */
  folder?: string;
}

export class MappingPollers implements MappingReports {
  readonly #world: PollerWorld;
  readonly #pollers = new Map<string, MappingPoller>();
  #isStopped = false;

  constructor({ host, folder, ...options }: MappingPollersOptions) {
    this.#world = {
      ...options,
      reasons: new FailureReasons(folder === undefined ? undefined : new ReasonFiles(folder, options.log)),
      openQueue: (eventSourceArn) => sourceQueue(host, eventSourceArn),
      onReached: (record, state) => this.#reached(record, state),
    };
    this.#onReached = options.onReached;
  }

  readonly #onReached: PollerWorld["onReached"];

  /**
   * A mapping is new or has changed: begins, changes or ends polling by the record's state. Returns at once; a record
   * in a transitional state is followed by one `onReached`, unless another record comes first.
   */
  follow(record: MappingRecord): void {
    if (this.#isStopped) return;
    const poller = this.#pollers.get(record.uuid);
    if (poller !== undefined) poller.follow(record);
    else this.#pollers.set(record.uuid, new MappingPoller(record, this.#world));
  }

  /** All the mappings that there are: the others are gone without a word, as after a reset. */
  followAll(records: readonly MappingRecord[]): void {
    const uuids = new Set(records.map(({ uuid }) => uuid));
    for (const [uuid, poller] of this.#pollers) {
      if (uuids.has(uuid)) continue;
      this.#pollers.delete(uuid);
      void poller.stop(0);
    }
    for (const record of records) this.follow(record);
  }

  report(uuid: string): MappingReport | undefined {
    return this.#pollers.get(uuid)?.report();
  }

  reports(): MappingReport[] {
    return [...this.#pollers.values()].map((poller) => poller.report());
  }

  reasonOf(messageId: string): FailureReason | undefined {
    return this.#world.reasons.get(messageId);
  }

  /** Grows while anything happens: what a test on a clock of its own waits for to stand still. */
  get steps(): number {
    let steps = 0;
    for (const poller of this.#pollers.values()) steps += poller.steps;
    return steps;
  }

  /** Receives nothing more, and gives what is under way `drainMs`. Before the host is stopped: batches are settled. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#pollers.values()].map((poller) => poller.stop(drainMs)));
    await this.#world.reasons.close();
  }

  #reached(record: MappingRecord, state: ReachedState): void {
    if (state === "Deleted") this.#pollers.delete(record.uuid);
    this.#onReached(record, state);
  }
}
