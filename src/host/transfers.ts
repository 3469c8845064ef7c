// Delivers a shard's outbox: messages on their way to another queue (dead-letter moves, redrives), on this shard or
// another. Per target shard one batch at a time and in order; a message leaves the outbox only when the target has
// it durably, and comes back to its queue when the target queue is gone. The target remembers what it took in, so a
// batch sent again after a crash changes nothing.

import { isFault } from "../base/fault.ts";
import { pause } from "../base/pause.ts";
import {
  envelopeDeduplicationId,
  envelopeMessageId,
  envelopeSentAtMs,
  type IncomingTransfer,
  type OutboxEntry,
  readdressEnvelope,
} from "../engine/index.ts";
import type { HostOptions } from "./host.ts";
import type { Shard } from "./shard.ts";

const BATCH_MESSAGES_MAX = 100;
const BATCH_BYTES_MAX = 1024 * 1024;
const RETRY_MS = 1000;

export class Transfers {
  readonly #shard: Shard;
  readonly #shards: readonly Shard[];
  readonly #options: HostOptions;
  #running = false;
  #settledWaits: { upTo: number; resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor(shard: Shard, shards: readonly Shard[], options: HostOptions) {
    this.#shard = shard;
    this.#shards = shards;
    this.#options = options;
  }

  get isIdle(): boolean {
    return !this.#running && this.#shard.state.outbox.size === 0;
  }

  /** Cheap; called after every change of the shard. */
  poke(): void {
    if (this.#running || this.#shard.state.outbox.size === 0) return;
    this.#running = true;
    void this.#deliver().finally(() => {
      this.#running = false;
    });
  }

  /** Resolves when every transfer up to this one has arrived or come back, durably. */
  settled(upTo: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settledWaits.push({ upTo, resolve, reject });
      this.#releaseWaits();
      this.poke();
    });
  }

  async #deliver(): Promise<void> {
    // Outside the turn that started the transfers.
    await Promise.resolve();
    while (this.#shard.state.outbox.size > 0 && this.#shard.mode === "serving") {
      try {
        await this.#deliverBatch();
      } catch (error) {
        for (const wait of this.#settledWaits.splice(0)) wait.reject(error);
        if (isFault(error, "ShardStopped")) return;
        this.#options.log(
          "warn",
          `Shard ${this.#shard.index} could not deliver messages to another queue; it will try again.`,
          {
            reason: error instanceof Error ? error.message : String(error),
          },
        );
        await pause(this.#options.clock, RETRY_MS);
      }
    }
  }

  async #deliverBatch(): Promise<void> {
    const source = this.#shard;
    const entries = this.#nextBatch();
    const first = entries[0];
    if (first === undefined) return;
    // That they left must be durable before they arrive anywhere, or a crash would find them in both queues, and their
    // ids given to others. Not the other way round: what joins the outbox during the wait is not covered by it.
    await source.flush();
    const target = this.#shards[first.target.shard] as Shard;
    const transfers = await Promise.all(entries.map((entry) => this.#load(entry)));
    const { answer, dependsOn } = target.perform<"acceptTransfers">({
      kind: "acceptTransfers",
      sourceShard: source.index,
      transfers,
    });
    await target.whenDurable(dependsOn);
    const acceptedUpTo = answer.ok ? answer.value.acceptedUpTo : 0;
    let settledBy = 0;
    for (const { transferId } of entries) {
      const accepted = transferId <= acceptedUpTo;
      settledBy = source.perform<"settleTransfer">({
        kind: "settleTransfer",
        transferId,
        accepted,
        failureReason: accepted ? undefined : "AWS.SimpleQueueService.NonExistentQueue",
      }).dependsOn;
      // What follows a refused transfer is sent again, so that the target sees transfers in order.
      if (!accepted) break;
    }
    await source.whenDurable(settledBy);
    this.#releaseWaits();
  }

  /** The oldest transfers that go to the shard of the very oldest. */
  #nextBatch(): OutboxEntry[] {
    const { outbox, table } = this.#shard.state;
    const batch: OutboxEntry[] = [];
    let bytes = 0;
    for (const entry of outbox.values()) {
      if (batch.length > 0 && entry.target.shard !== (batch[0] as OutboxEntry).target.shard) break;
      bytes += table.bodyBytes.get(entry.slot);
      if (batch.length > 0 && (bytes > BATCH_BYTES_MAX || batch.length >= BATCH_MESSAGES_MAX)) break;
      batch.push(entry);
    }
    return batch;
  }

  async #load(entry: OutboxEntry): Promise<IncomingTransfer> {
    const { state } = this.#shard;
    const { slot, purpose, groupId, sourceArn: originArn } = entry;
    const { table } = state;
    // Read the row before waiting for the body: an outbox row does not change, but the columns may be reallocated.
    const firstReceivedAtMs = table.firstReceivedAtMs.get(slot);
    const receiveCount = table.receiveCount.get(slot);
    const bytes = await this.#shard.readEnvelope(slot);
    // A redriven message is a new message (developer guide, "dead-letter queue redrive"), and so is a forwarded one.
    const isNew = purpose !== "deadLetter";
    const envelope = isNew ? readdressEnvelope(bytes, this.#options.ids.uuid(), state.nowMs) : bytes;
    return {
      transferId: entry.transferId,
      partition: entry.target.partition,
      purpose,
      envelope,
      sentAtMs: envelopeSentAtMs(envelope),
      firstReceivedAtMs,
      receiveCount,
      originArn,
      groupId,
      deduplicationId:
        purpose === "forward"
          ? (envelopeDeduplicationId(envelope) ?? envelopeMessageId(envelope))
          : envelopeMessageId(envelope),
    };
  }

  #releaseWaits(): void {
    const { outbox } = this.#shard.state;
    const oldest = outbox.keys().next().value ?? Number.POSITIVE_INFINITY;
    this.#settledWaits = this.#settledWaits.filter((wait) => {
      if (wait.upTo >= oldest) return true;
      wait.resolve();
      return false;
    });
  }
}
