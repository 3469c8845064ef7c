// The catalog as the host sees it: which queues there are and where their messages lie. The catalog (on shard 0)
// decides on every change, and the partitions, which may be on other shards, follow in the same turn; at each start they
// are compared once more, because a crash can fall between the two.

import { accept, type Result, refuse } from "../base/result.ts";
import type { AnswerOf, Command, CommandOf, Outcome, QueueKey } from "../engine/command.ts";
import {
  closeInternalQueue,
  decideAddPermission,
  decideCreateQueue,
  decideDeleteQueue,
  decideRemovePermission,
  decideSetQueueAttributes,
  decideTagQueue,
  decideUntagQueue,
  describedAttributes,
  findQueue,
  type InternalQueueSpec,
  internalQueueKey,
  isAsSpecified,
  listDeadLetterSourceQueues,
  listQueues,
  openInternalQueue,
  parseQueueArn,
  partitionConfig,
  type QueueRecord,
  type Recorder,
  type Resources,
  requireQueue,
  type ShardState,
  type TransferTarget,
} from "../engine/index.ts";
import { queueDoesNotExist, type Refusal } from "../engine/refusal.ts";
import type { Shard } from "./shard.ts";
import type { MillpondHost } from "./start-host.ts";

/** Where a queue's messages are. */
export interface Place {
  record: QueueRecord;
  shard: Shard;
  partition: number;
}

/** What the catalog answers or decides; what is done to messages is the shards'. */
export type QueueCatalogCommand = Extract<
  Command,
  {
    kind:
      | "createQueue"
      | "deleteQueue"
      | "setQueueAttributes"
      | "tagQueue"
      | "untagQueue"
      | "addPermission"
      | "removePermission"
      | "getQueue"
      | "listQueues"
      | "listDeadLetterSourceQueues"
      | "listQueueTags"
      | "getQueueAttributes";
  }
>;

export class QueueCatalog {
  /** Of shard 0: the entry with the newest change of the catalog, which answers about queues stand on. */
  changedAtSeq = 0;
  readonly #host: MillpondHost;

  constructor(host: MillpondHost) {
    this.#host = host;
  }

  execute(command: QueueCatalogCommand): Promise<Outcome> {
    switch (command.kind) {
      case "createQueue":
        return this.#create(command);
      case "deleteQueue":
        return this.#delete(command);
      case "setQueueAttributes":
        return this.#changeQueue((state, record) => decideSetQueueAttributes(state, command, record));
      case "tagQueue":
        return this.#changeQueue((state, record) => decideTagQueue(state, command, record));
      case "untagQueue":
        return this.#changeQueue((state, record) => decideUntagQueue(state, command, record));
      case "addPermission":
        return this.#changeQueue((state, record) => decideAddPermission(state, command, record));
      case "removePermission":
        return this.#changeQueue((state, record) => decideRemovePermission(state, command, record));
      case "getQueue":
        return this.#read((state) => mapOk(requireQueue(state.catalog, command.queue), ({ queue }) => ({ queue })));
      case "listQueues":
        return this.#read((state) => listQueues(state, command));
      case "listDeadLetterSourceQueues":
        return this.#read((state) => listDeadLetterSourceQueues(state, command));
      case "listQueueTags":
        return this.#read((state) => mapOk(requireQueue(state.catalog, command.queue), ({ tags }) => ({ tags })));
      case "getQueueAttributes":
        return this.#getQueueAttributes(command);
    }
  }

  /** Throws a Fault while shard 0 does not serve, as everything here does. */
  place(queue: QueueKey): Place | undefined {
    this.#shard.assertServing();
    const record = findQueue(this.#shard.state.catalog, queue);
    return record === undefined ? undefined : this.#placeOf(record);
  }

  placeOfArn(arn: string): Place | undefined {
    const parsed = parseQueueArn(arn);
    return parsed.is === "queue" ? this.place(parsed.queue) : undefined;
  }

  targetOf(arn: string): TransferTarget | undefined {
    const place = this.placeOfArn(arn);
    return place === undefined ? undefined : { shard: place.shard.index, partition: place.partition };
  }

  /** Topics, subscriptions and whatever else has a name. */
  get resources(): Resources {
    this.#shard.assertServing();
    return this.#shard.state.catalog.resources;
  }

  /** A change that no partition follows. */
  change<Answer>(decision: (state: ShardState, record: Recorder) => Answer): { answer: Answer; dependsOn: number } {
    const change = this.#shard.run(decision);
    this.changedAtSeq = change.dependsOn;
    return change;
  }

  /** Where an internal queue is; made when it is not there. What stands on it waits for the catalog like all answers. */
  internalPlace(spec: InternalQueueSpec): Place {
    this.#shard.assertServing();
    const existing = findQueue(this.#shard.state.catalog, internalQueueKey(spec.name));
    if (existing !== undefined && isAsSpecified(existing, spec)) return this.#placeOf(existing);
    const { answer } = this.change((state, record) => openInternalQueue(state, spec, this.#host.shards.length, record));
    return this.#configure(answer).place;
  }

  internalQueue(name: string): Place | undefined {
    return this.place(internalQueueKey(name));
  }

  /** Drops an internal queue with everything in it. */
  dropInternalQueue(name: string): void {
    const { answer: record } = this.change((state, record) => closeInternalQueue(state, name, record));
    if (record !== undefined) this.#close(this.#placeOf(record));
  }

  /**
   * Makes each partition as the catalog has it, and drops those that it does not have. Safe to repeat. False while
   * some shard does not serve: then nothing is done.
   */
  reconcile(): boolean {
    const { shards } = this.#host;
    this.changedAtSeq = 0;
    if (!shards.every((shard) => shard.mode === "serving")) return false;
    const known = new Set<number>();
    for (const record of this.#shard.state.catalog.queues.values()) known.add(this.#configure(record).place.partition);
    for (const shard of shards) {
      for (const partition of [...shard.state.partitions.keys()]) {
        if (!known.has(partition)) shard.perform<"closePartition">({ kind: "closePartition", partition });
      }
    }
    return true;
  }

  get #shard(): Shard {
    return this.#host.catalogShard;
  }

  async #create(command: CommandOf<"createQueue">): Promise<Outcome> {
    const full = this.#host.refuseSends(this.#shard);
    if (full !== undefined) return refuse(full);
    const shardCount = this.#host.shards.length;
    const outcome = await this.#changeQueue((state, record) =>
      decideCreateQueue(state, { ...command, shardCount }, record),
    );
    return outcome.ok ? accept({ queue: command.queue }) : outcome;
  }

  async #delete(command: CommandOf<"deleteQueue">): Promise<Outcome> {
    const { answer, dependsOn } = this.#shard.run((state, record) => decideDeleteQueue(state, command, record));
    if (!answer.ok) return answer;
    this.changedAtSeq = dependsOn;
    const place = this.#placeOf(answer.value);
    await this.#host.durable(place.shard, this.#close(place));
    return accept(null);
  }

  async #changeQueue(
    decision: (state: ShardState, record: Recorder) => Result<QueueRecord, Refusal>,
  ): Promise<Outcome> {
    const { answer, dependsOn } = this.#shard.run(decision);
    if (!answer.ok) return answer;
    this.changedAtSeq = dependsOn;
    const { place, dependsOn: configured } = this.#configure(answer.value);
    await this.#host.durable(place.shard, configured);
    return accept(null);
  }

  async #read<Answer>(read: (state: ShardState) => Result<Answer, Refusal>): Promise<Outcome> {
    const { answer, dependsOn } = this.#shard.run(read);
    await this.#shard.whenDurable(dependsOn);
    return answer as Outcome;
  }

  async #getQueueAttributes(command: CommandOf<"getQueueAttributes">): Promise<Outcome> {
    const place = this.place(command.queue);
    if (place === undefined) return refuse(queueDoesNotExist());
    const { answer, dependsOn } = place.shard.run((state) => {
      const partition = state.partitions.get(place.partition);
      return {
        ApproximateNumberOfMessages: String(partition?.readyCount ?? 0),
        ApproximateNumberOfMessagesNotVisible: String(partition?.inFlightCount ?? 0),
        ApproximateNumberOfMessagesDelayed: String(partition?.delayedCount ?? 0),
      };
    });
    await this.#host.durable(place.shard, dependsOn);
    return accept({
      attributes: { ...describedAttributes(place.record), ...answer },
    } satisfies AnswerOf<"getQueueAttributes">);
  }

  #configure(record: QueueRecord): { place: Place; dependsOn: number } {
    const place = this.#placeOf(record);
    const { shard, partition } = place;
    const config = partitionConfig(record);
    const { dependsOn } = shard.perform<"configurePartition">({ kind: "configurePartition", partition, config });
    return { place, dependsOn };
  }

  #close({ shard, partition }: Place): number {
    return shard.perform<"closePartition">({ kind: "closePartition", partition }).dependsOn;
  }

  #placeOf(record: QueueRecord): Place {
    const [first] = record.partitions;
    if (first === undefined) throw new Error(`queue ${record.queue.name} has no partition`);
    return { record, shard: this.#host.shards[first.shard] as Shard, partition: first.partition };
  }
}

function mapOk<From, To>(result: Result<From, Refusal>, to: (value: From) => To): Result<To, Refusal> {
  return result.ok ? accept(to(result.value)) : result;
}
