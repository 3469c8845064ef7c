// Replays: a subscription of a FIFO topic with an archive gets what was published from a point in time on, once more
// and in order, before what is published now (fanout.md A13). While it runs, new messages reach the subscription
// through the archive; in the turn in which nothing is left, publishing takes over. How far it is stands in the
// subscription's record. A crash may repeat the batch that was under way.

import {
  copiedPublication,
  decodeCopy,
  type Publication,
  type ReplayProgress,
  type SubscriptionRecord,
  subscriptionArn,
  topicArn,
} from "../engine/index.ts";
import type { Publishing } from "./publish.ts";
import type { MillpondHost } from "./start-host.ts";
import { archiveQueueName, parsedReplayPolicy } from "./topic-routes.ts";

const BATCH_MAX = 100;

interface Archived {
  seq: number;
  bytes: Uint8Array;
  publication: Publication;
}

export class Replays {
  readonly #host: MillpondHost;
  readonly #publishing: Publishing;
  /** By subscription ARN: the policy that is being followed. */
  readonly #running = new Map<string, string>();

  constructor(host: MillpondHost, publishing: Publishing) {
    this.#host = host;
    this.#publishing = publishing;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Follows the subscription's replay policy, unless that is under way or has been done. */
  follow(record: SubscriptionRecord): void {
    const policy = record.attributes.ReplayPolicy;
    const arn = subscriptionArn(record.subscription);
    if (policy === undefined || this.#running.get(arn) === policy || isDone(record)) return;
    this.#running.set(arn, policy);
    void this.#run(arn, policy)
      .catch((error: unknown) => {
        this.#host.options.log("warn", `The replay for ${arn} was broken off; it goes on at the next start.`, {
          reason: error instanceof Error ? error.message : String(error),
        });
      })
      .finally(() => {
        if (this.#running.get(arn) === policy) this.#running.delete(arn);
      });
  }

  async #run(arn: string, policy: string): Promise<void> {
    for (;;) {
      const record = this.#current(arn, policy);
      if (record === undefined) return;
      const archived = await this.#next(record, progressOf(record, policy).afterSeq);
      // Progress stands in another log than the copies, and must not be what a crash leaves of the two.
      await this.#copy(arn, policy, archived);
      const { isOver, dependsOn } = this.#advance(arn, policy, archived.at(-1)?.seq);
      await this.#host.durable(this.#host.catalogShard, dependsOn);
      if (isOver) return;
    }
  }

  /** Resolves when the copies are durable. */
  async #copy(arn: string, policy: string, archived: Archived[]): Promise<void> {
    const record = this.#current(arn, policy);
    if (record === undefined) return;
    const { startMs, endMs = Number.POSITIVE_INFINITY } = parsedReplayPolicy(policy);
    let last: ReturnType<Publishing["republish"]>;
    for (const { bytes, publication } of archived) {
      const { publishedAtMs } = publication;
      if (publishedAtMs < startMs || publishedAtMs > endMs) continue;
      last = this.#publishing.republish(record, bytes, publication) ?? last;
    }
    if (last !== undefined) await this.#host.durable(last.shard, last.dependsOn);
  }

  /** Records how far the replay is; in the turn in which nothing is left, that it has ended. */
  #advance(arn: string, policy: string, lastSeq: number | undefined): { isOver: boolean; dependsOn: number } {
    const record = this.#current(arn, policy);
    if (record === undefined) return { isOver: true, dependsOn: 0 };
    const afterSeq = lastSeq ?? progressOf(record, policy).afterSeq;
    // Nothing may be published between this look and the record that says the replay has ended.
    const isOver = this.#slots(record, afterSeq).length === 0;
    const replay: ReplayProgress = { policy, status: isOver ? "Completed" : "In progress", afterSeq };
    const { dependsOn } = this.#host.catalog.change((_, write) =>
      write({ kind: "ResourceRecorded", entry: { type: "subscription", key: arn, record: { ...record, replay } } }),
    );
    return { isOver, dependsOn };
  }

  async #next(record: SubscriptionRecord, afterSeq: number): Promise<Archived[]> {
    const place = this.#host.catalog.internalQueue(archiveQueueName(topicArn(record.subscription.topic)));
    if (place === undefined) return [];
    const { shard } = place;
    const found: Archived[] = [];
    for (const { slot, seq } of this.#slots(record, afterSeq).slice(0, BATCH_MAX)) {
      if (!shard.state.table.holds(slot, seq)) continue;
      const envelope = await shard.readEnvelope(slot);
      found.push({ seq, bytes: copiedPublication(envelope), publication: decodeCopy(envelope).publication });
    }
    return found;
  }

  /** What the archive has behind `afterSeq`, in order. */
  #slots(record: SubscriptionRecord, afterSeq: number): { slot: number; seq: number }[] {
    const place = this.#host.catalog.internalQueue(archiveQueueName(topicArn(record.subscription.topic)));
    const partition = place?.shard.state.partitions.get(place.partition);
    if (place === undefined || partition === undefined) return [];
    const { table } = place.shard.state;
    const slots: { slot: number; seq: number }[] = [];
    for (const slot of partition.memberSlots()) {
      const seq = table.seq.get(slot);
      if (seq > afterSeq) slots.push({ slot, seq });
    }
    return slots.sort((a, b) => a.seq - b.seq);
  }

  #current(arn: string, policy: string): SubscriptionRecord | undefined {
    const record = this.#host.catalog.resources.get("subscription", arn);
    return record?.attributes.ReplayPolicy === policy ? record : undefined;
  }
}

function progressOf(record: SubscriptionRecord, policy: string): ReplayProgress {
  const { replay } = record;
  return replay?.policy === policy ? replay : { policy, status: "Pending", afterSeq: 0 };
}

function isDone({ attributes, replay }: SubscriptionRecord): boolean {
  return replay?.policy === attributes.ReplayPolicy && replay?.status === "Completed";
}
