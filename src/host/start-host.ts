// The host: opens the shards, lets the catalog (shard 0) and the partitions agree, and carries out commands. A
// command finds its queue in the catalog and its shard in the queue's record; nothing here assumes one shard.

import { accept, type Result, refuse } from "../base/result.ts";
import type { Command, CommandKind, CommandOf, Outcome, QueueKey, ReceivedMessage } from "../engine/command.ts";
import {
  deadLetterTargetArn,
  dueTasks,
  isFunctionCommand,
  isInternal,
  isTopicCommand,
  type QueueRecord,
  receiveWaitMs,
  type ShardCommandKind,
  type ShardCommandOf,
  type TopicKey,
} from "../engine/index.ts";
import { queueDoesNotExist, type Refusal, serviceUnavailable } from "../engine/refusal.ts";
import { Access } from "./access.ts";
import { DeliveryRecords } from "./delivery-records.ts";
import { EntryCache } from "./entry-cache.ts";
import type { FunctionRunner } from "./function-runner.ts";
import { Functions } from "./functions.ts";
import {
  type ExecuteOptions,
  type Host,
  type HostOptions,
  type HostStatus,
  type HostThresholds,
  type InspectedMessage,
  type QueueLoad,
  THRESHOLDS,
} from "./host.ts";
import { Housekeeping } from "./housekeeping.ts";
import { inspectPartition, partitionLoad } from "./inspect.ts";
import { cancelMoveTask, listMoveTasks, MoveTaskSteps, startMoveTask } from "./move-tasks.ts";
import { EnvelopeOpener, type NotificationSettings } from "./open-envelope.ts";
import { Publishing } from "./publish.ts";
import { type Place, QueueCatalog } from "./queue-catalog.ts";
import { decodeReceiptHandle } from "./receipt-handle.ts";
import { messageReader, type ReadRow, type ReceiveRoute, receiveMessages } from "./receive.ts";
import { Shard } from "./shard.ts";
import { SubscriptionDeliveries } from "./subscription-deliveries.ts";
import { reportSubscriptions, type SubscriptionReport } from "./subscription-report.ts";
import { Topics } from "./topics.ts";
import { Transfers } from "./transfers.ts";
import { Turns } from "./turns.ts";
import { HostWorkQueue, type WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

const INSPECT_LIMIT = 1000;
const NO_OPTIONS: ExecuteOptions = {};
/** For hosts that nobody reaches over HTTP. */
const UNSIGNED: NotificationSettings = { baseUrl: () => "http://localhost:4566" };

/** Rejects with a Fault when a shard's log cannot be read. */
export async function startHost(options: HostOptions): Promise<Host> {
  const host = new MillpondHost(options);
  await host.open();
  return host;
}

export class MillpondHost implements Host {
  readonly options: HostOptions;
  readonly shards: Shard[] = [];
  readonly catalog = new QueueCatalog(this);
  readonly #thresholds: HostThresholds;
  readonly #transfers: Transfers[] = [];
  readonly #housekeeping: Housekeeping[] = [];
  readonly #publishing = new Publishing(this);
  readonly #deliveries = new SubscriptionDeliveries(this, this.#publishing);
  readonly #topics = new Topics(this, this.#deliveries);
  readonly #functions = new Functions(this);
  readonly #workQueues = new Set<HostWorkQueue>();
  readonly access: Access;
  readonly deliveryRecords = new DeliveryRecords();
  /** Of deliveries, among all else that this thread does. */
  readonly turns = new Turns();
  /** Makes messages of what queues hold. */
  readonly opener: EnvelopeOpener;
  readonly #readMessage: ReadRow<ReceivedMessage>;
  readonly #moveTaskSteps = new MoveTaskSteps(this);
  #isDelivering = false;
  #stopping = false;

  constructor(options: HostOptions) {
    this.options = options;
    this.#thresholds = { ...THRESHOLDS, ...options.thresholds };
    this.access = new Access(options.accessMode ?? "warn", options.log);
    this.opener = new EnvelopeOpener(options.notifications ?? UNSIGNED, (topicArn) => {
      const version = this.catalog.resources.get("topic", topicArn)?.attributes.SignatureVersion;
      return version === "2" ? "2" : "1";
    });
    this.#readMessage = messageReader(this.opener);
    const cache = new EntryCache(options.bodyCacheBytesMax);
    for (let index = 0; index < options.shardCount; index++) {
      const shard = new Shard({
        clock: options.clock,
        openStorage: options.openStorage,
        log: options.log,
        settings: { shard: index, awsDelays: options.awsDelays },
        cache,
        onWork: () => this.#work(index),
        onRecovered: () => this.#reconcile(),
      });
      this.shards.push(shard);
      this.#transfers.push(new Transfers(shard, this.shards, options));
      this.#housekeeping.push(new Housekeeping(shard, this.#thresholds, options.log));
    }
  }

  async open(): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.open()));
    this.#reconcile();
    for (const transfers of this.#transfers) transfers.poke();
    await Promise.all(this.shards.map((shard) => shard.flush()));
  }

  execute<Kind extends CommandKind>(
    command: CommandOf<Kind>,
    options: ExecuteOptions = NO_OPTIONS,
  ): Promise<Outcome<Kind>> {
    try {
      return this.#execute(command as Command, options) as Promise<Outcome<Kind>>;
    } catch (error) {
      // Not an async function: on the way of a message every promise is felt.
      return Promise.reject(error);
    }
  }

  #execute(command: Command, options: ExecuteOptions): Promise<Outcome> {
    if (isTopicCommand(command)) return this.#topics.execute(command);
    if (isFunctionCommand(command)) return this.#functions.execute(command);
    switch (command.kind) {
      case "sendMessages":
        return this.#send(command);
      case "receiveMessages":
        return receiveMessages(
          command,
          () => this.receiveRoute(command.queue),
          this.#readMessage,
          this.options.clock,
          options,
        );
      case "deleteMessages":
        return this.#onQueue<"deleteMessages">(command.queue, (partition) => ({
          kind: "deleteMessages",
          partition,
          receipts: command.receiptHandles.map(decodeReceiptHandle),
        }));
      case "changeVisibility":
        return this.#onQueue<"changeVisibility">(command.queue, (partition) => ({
          kind: "changeVisibility",
          partition,
          entries: command.entries.map(({ receiptHandle, visibilityTimeoutMs }) => ({
            receipt: decodeReceiptHandle(receiptHandle),
            visibilityTimeoutMs,
          })),
        }));
      case "purgeQueue":
        return this.#onQueue<"purgeQueue">(command.queue, (partition) => ({ kind: "purgeQueue", partition }));
      case "publish":
        return this.#publishing.publish(command);
      case "startMoveTask":
        return startMoveTask(this, command);
      case "listMoveTasks":
        return listMoveTasks(this, command);
      case "cancelMoveTask":
        return cancelMoveTask(this, command);
      default:
        return this.catalog.execute(command);
    }
  }

  get catalogShard(): Shard {
    return this.shards[0] as Shard;
  }

  /** Lets a partition decide, and answers when that is durable. Throws a Fault when the shard does not serve. */
  onPlace<Kind extends ShardCommandKind>(
    place: Place,
    command: ShardCommandOf<Kind>,
  ): Promise<Result<Extract<ReturnType<Shard["perform"]>["answer"], { ok: true }>["value"], Refusal>> {
    const full = this.#refuseOnFullDisk(
      place.shard,
      command.kind === "sendMessages" ? this.#thresholds.roomKeptForConsumersBytes : this.#thresholds.roomBytesMin,
    );
    if (full !== undefined) return Promise.resolve(refuse(full));
    const { answer, dependsOn } = place.shard.perform<Kind>(command);
    return this.whenStanding(place.shard, dependsOn, answer);
  }

  async inspect(queue: QueueKey, limit = INSPECT_LIMIT): Promise<InspectedMessage[] | undefined> {
    const place = this.catalog.place(queue);
    return place === undefined ? undefined : inspectPartition(place.shard, place.partition, limit, this.opener);
  }

  load(queue: QueueKey): QueueLoad | undefined {
    const place = this.catalog.place(queue);
    return place === undefined ? undefined : partitionLoad(place.shard, place.partition);
  }

  queues(): QueueKey[] {
    this.catalogShard.assertServing();
    const { queues } = this.catalogShard.state.catalog;
    return [...queues.keys()]
      .sort()
      .map((key) => (queues.get(key) as QueueRecord).queue)
      .filter((queue) => !isInternal(queue));
  }

  subscriptions(topic: TopicKey): SubscriptionReport[] | undefined {
    return reportSubscriptions(this, topic);
  }

  startDeliveries(): void {
    this.#isDelivering = true;
    this.#deliveries.start();
  }

  runFunctions(runner: FunctionRunner): void {
    this.#functions.runWith(runner);
  }

  mappingFollowed(arn: string): void {
    this.#functions.mappingFollowed(arn);
  }

  workQueue(options: WorkQueueOptions): WorkQueue {
    const queue = new HostWorkQueue(this, options, (gone) => this.#workQueues.delete(gone));
    this.#workQueues.add(queue);
    return queue;
  }

  hasWork(name: string): boolean {
    return this.catalog.internalQueue(name) !== undefined;
  }

  async reset(): Promise<void> {
    for (const shard of this.shards) shard.run((_, record) => record({ kind: "ShardReset" }));
    this.#deliveries.start();
    this.#functions.start();
    await Promise.all(this.shards.map((shard) => shard.flush()));
  }

  async settle(): Promise<void> {
    for (;;) {
      for (const shard of this.shards) if (shard.mode === "serving" && !shard.isIdle) shard.run(() => undefined);
      await Promise.all(this.shards.map((shard) => shard.flush()));
      await new Promise((resolve) => setImmediate(resolve));
      const isSettled =
        this.shards.every(
          (shard) => shard.mode !== "serving" || (shard.isIdle && dueTasks(shard.state).length === 0),
        ) &&
        this.#transfers.every((transfers) => transfers.isIdle) &&
        this.#deliveries.isIdle &&
        [...this.#workQueues].every((queue) => queue.isIdle);
      if (isSettled) return;
    }
  }

  status(): HostStatus {
    const shards = this.shards.map((shard) => {
      const log = shard.mode === "serving" ? shard.storage.log : undefined;
      const refusal =
        shard.mode === "serving"
          ? this.#refuseOnFullDisk(shard, this.#thresholds.roomKeptForConsumersBytes)
          : undefined;
      return {
        shard: shard.index,
        state: shard.mode,
        epoch: shard.epoch,
        tailSeq: shard.durableSeq,
        snapshotSeq: shard.snapshotSeq,
        messageCount: shard.state.table.count,
        logBytes: log === undefined ? 0 : log.segments().reduce((sum, segment) => sum + segment.bytes, 0),
        waitingReceives: shard.waiters.count,
        ...(refusal === undefined ? {} : { refusingSends: refusal.message }),
      };
    });
    return {
      shards,
      queueCount: [...this.catalogShard.state.catalog.queues.values()].filter(({ queue }) => !isInternal(queue)).length,
      messageCount: shards.reduce((sum, shard) => sum + shard.messageCount, 0),
    };
  }

  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    await Promise.all([this.#deliveries.stop(), ...[...this.#workQueues].map((queue) => queue.stop())]);
    for (const shard of this.shards) for (const waiter of shard.waiters.takeAll()) waiter.giveUp();
    await Promise.all(this.#housekeeping.map((housekeeping) => housekeeping.finish()));
    await Promise.all(this.shards.map((shard) => shard.close()));
  }

  #send(command: CommandOf<"sendMessages">): Promise<Outcome> {
    const { uuid } = this.options.ids;
    return this.#onQueue<"sendMessages">(command.queue, (partition) => ({
      kind: "sendMessages",
      partition,
      senderId: command.senderId,
      batch: command.batch,
      entries: command.entries,
      messageIds: command.entries.map(() => uuid()),
    }));
  }

  #onQueue<Kind extends ShardCommandKind>(
    queue: QueueKey,
    command: (partition: number) => ShardCommandOf<Kind>,
  ): Promise<Outcome> {
    const place = this.catalog.place(queue);
    if (place === undefined) return Promise.resolve(refuse(queueDoesNotExist()));
    return this.onPlace<Kind>(place, command(place.partition)) as Promise<Outcome>;
  }

  receiveRoute(queue: QueueKey): Result<ReceiveRoute, Refusal> {
    const place = this.catalog.place(queue);
    if (place === undefined) return refuse(queueDoesNotExist());
    const full = this.#refuseOnFullDisk(place.shard, this.#thresholds.roomBytesMin);
    if (full !== undefined) return refuse(full);
    const arn = deadLetterTargetArn(place.record);
    return accept({
      shard: place.shard,
      transfers: this.#transfers[place.shard.index] as Transfers,
      partition: place.partition,
      waitMs: receiveWaitMs(place.record),
      deadLetterTarget: arn === undefined ? undefined : this.catalog.targetOf(arn),
    });
  }

  refuseSends(shard: Shard): Refusal | undefined {
    return this.#refuseOnFullDisk(shard, this.#thresholds.roomKeptForConsumersBytes);
  }

  transfersOf(shard: Shard): Transfers {
    return this.#transfers[shard.index] as Transfers;
  }

  durable(shard: Shard, dependsOn: number): Promise<void> {
    return this.whenStanding(shard, dependsOn, undefined);
  }

  /** The answer, once it stands: of a queue also on the catalog that says the queue is there. */
  whenStanding<Answer>(shard: Shard, dependsOn: number, answer: Answer): Promise<Answer> {
    if (shard === this.catalogShard) {
      return shard.whenDurable(Math.max(dependsOn, this.catalog.changedAtSeq), answer) ?? Promise.resolve(answer);
    }
    // Both waits begin now: were the catalog asked only when the other shard is done, it might have failed and been
    // read again meanwhile, without what this answer stands on.
    const waits = shard.whenDurable(dependsOn, answer);
    const catalogWaits = this.catalogShard.whenDurable(this.catalog.changedAtSeq, answer);
    if (waits !== undefined && catalogWaits !== undefined) return Promise.all([waits, catalogWaits]).then(() => answer);
    return waits ?? catalogWaits ?? Promise.resolve(answer);
  }

  #reconcile(): void {
    if (!this.catalog.reconcile() || this.#stopping) return;
    if (this.#isDelivering) this.#deliveries.start();
    this.#functions.start();
  }

  /** After every change of a shard and at each of its wakes. */
  #work(index: number): void {
    const shard = this.shards[index] as Shard;
    (this.#transfers[index] as Transfers).poke();
    (this.#housekeeping[index] as Housekeeping).poke();
    if (shard.state.runningTasks.size > 0 && !this.#stopping) this.#moveTaskSteps.run(shard);
  }

  #refuseOnFullDisk(shard: Shard, keptBytes: number): Refusal | undefined {
    if (shard.mode !== "serving") return undefined;
    const room = shard.storage.log.room();
    if (!room.diskFull || room.bytesReady - shard.pendingBytes > keptBytes) return undefined;
    return serviceUnavailable(
      "The disk that holds Millpond's data folder is full, so nothing more can be stored. Nothing acknowledged is lost; free some space and sending goes on.",
    );
  }
}
