// Publish: finds who gets a copy and where each copy goes, and lets the topic's shard record the message with all its
// copies at once. The answer leaves when that is durable. Subscribers that are queues of this server have the message
// then; the others' copies are in their internal queues, from which deliverers take them.

import { accept, type Result, refuse } from "../base/result.ts";
import type { CommandOf, Outcome, PublishEntry } from "../engine/command.ts";
import {
  type CopyRequest,
  deduplicationIdOf,
  isFifo,
  isFifoTopic,
  type Publication,
  type Published,
  refusePublish,
  type SubscriptionRecord,
  type TopicRecord,
  topicArn,
} from "../engine/index.ts";
import { MESSAGE_ATTRIBUTES_MAX } from "../engine/limits.ts";
import { type Refusal, topicDoesNotExist } from "../engine/refusal.ts";
import type { Place } from "./queue-catalog.ts";
import type { Shard } from "./shard.ts";
import type { MillpondHost } from "./start-host.ts";
import { archiveQueueName, homeQueueName, isWanted, type Route, routeOf, TopicRoutes } from "./topic-routes.ts";

const SECONDS_PER_DAY = 24 * 60 * 60;

/** Where a copy goes; `queue` is undefined when it goes nowhere. */
interface Destination {
  place: Place | undefined;
  /** Why it does not go to the subscriber's own queue. */
  failure?: string;
}

export class Publishing {
  readonly #host: MillpondHost;
  readonly #routes: TopicRoutes;
  /** By record: an internal queue is looked up once for each state of a topic. */
  readonly #homes = new WeakMap<TopicRecord, Place>();

  constructor(host: MillpondHost) {
    this.#host = host;
    this.#routes = new TopicRoutes();
  }

  async publish(command: CommandOf<"publish">): Promise<Outcome<"publish">> {
    const host = this.#host;
    const arn = topicArn(command.topic);
    const topic = host.catalog.resources.get("topic", arn);
    if (topic === undefined) return refuse(topicDoesNotExist());
    for (const entry of command.entries) {
      const problem = refusePublish(topic, entry);
      if (problem !== undefined) return refuse(problem);
    }
    const home = this.#homeOf(topic, arn);
    const full = host.refuseSends(home.shard);
    if (full !== undefined) return refuse(full);
    const transfersBefore = home.shard.state.nextTransferId;
    let dependsOn = 0;
    const entries = command.entries.map((entry) => {
      const published = this.#publishOne(topic, arn, home, entry);
      dependsOn = Math.max(dependsOn, published.dependsOn);
      return answerOf(published.answer);
    });
    const transfersUpTo = home.shard.state.nextTransferId - 1;
    await host.durable(home.shard, dependsOn);
    if (transfersUpTo >= transfersBefore) {
      // The message is acknowledged whatever happens on the way to other shards; waiting lets who has the answer find
      // it there.
      await host
        .transfersOf(home.shard)
        .settled(transfersUpTo)
        .catch(() => undefined);
    }
    return accept({ entries });
  }

  #publishOne(
    topic: TopicRecord,
    arn: string,
    home: Place,
    entry: PublishEntry,
  ): { answer: Result<Published, Refusal>; dependsOn: number } {
    const messageId = this.#host.options.ids.uuid();
    const deduplicationId = deduplicationIdOf(topic, entry);
    const routes = this.#routes.matching(this.#host.catalog.resources, arn, entry);
    const copies: CopyRequest[] = [];
    const failed: { route: Route; destination: Destination }[] = [];
    for (const route of routes) {
      const destination = this.#destinationOf(route, topic, entry);
      if (destination.failure !== undefined) failed.push({ route, destination });
      const copy = this.#copyFor(route, destination, topic, entry, deduplicationId);
      if (copy !== undefined) copies.push(copy);
    }
    const archive = this.#archiveOf(topic, arn, home);
    if (archive !== undefined) copies.push(archive);
    const { messages, subject, attributes, groupId, traceHeader } = entry;
    const performed = home.shard.perform<"publish">({
      kind: "publish",
      partition: home.partition,
      fifo: isFifoTopic(topic),
      publication: {
        messageId,
        topicArn: arn,
        messages,
        attributes,
        ...(subject === undefined ? {} : { subject }),
        ...(groupId === undefined ? {} : { groupId }),
        ...(deduplicationId === undefined ? {} : { deduplicationId }),
        ...(traceHeader === undefined ? {} : { traceHeader }),
      },
      copies,
    });
    if (performed.answer.ok && !performed.answer.value.duplicate) this.#tell(routes, failed, messageId);
    return performed;
  }

  /**
   * A message of the topic's archive once more, for one subscription whose filter it passes. The answer says what must
   * be durable before the message counts as replayed; undefined when there is nothing to do.
   */
  republish(
    record: SubscriptionRecord,
    bytes: Uint8Array,
    publication: Publication,
  ): { shard: Shard; dependsOn: number } | undefined {
    const arn = topicArn(record.subscription.topic);
    const topic = this.#host.catalog.resources.get("topic", arn);
    if (topic === undefined || !isWanted(record, publication)) return undefined;
    const home = this.#homeOf(topic, arn);
    const route = routeOf(record);
    const destination = this.#destinationOf(route, topic, publication);
    const copy = this.#copyFor(route, destination, topic, publication, publication.deduplicationId);
    if (copy === undefined) return undefined;
    const { dependsOn } = home.shard.perform<"republish">({
      kind: "republish",
      partition: home.partition,
      publication: bytes,
      copies: [copy],
    });
    return { shard: home.shard, dependsOn };
  }

  /** The copy that is kept for replays, beside the topic's own partition. */
  #archiveOf(topic: TopicRecord, arn: string, home: Place): CopyRequest | undefined {
    const policy = topic.attributes.ArchivePolicy;
    if (policy === undefined) return undefined;
    const days = Number((JSON.parse(policy) as { MessageRetentionPeriod: string }).MessageRetentionPeriod);
    const { shard, partition } = this.#host.catalog.internalPlace({
      name: archiveQueueName(arn),
      attributes: { MessageRetentionPeriod: String(days * SECONDS_PER_DAY) },
      shard: home.shard.index,
    });
    return {
      target: { shard: shard.index, partition },
      messageId: this.#host.options.ids.uuid(),
      subscriptionArn: "",
      raw: false,
      groupId: undefined,
      deduplicationId: undefined,
      deadLetter: false,
    };
  }

  #copyFor(
    route: Route,
    { place, failure }: Destination,
    topic: TopicRecord,
    entry: Pick<PublishEntry, "groupId">,
    deduplicationId: string | undefined,
  ): CopyRequest | undefined {
    if (place === undefined) return undefined;
    const { shard, partition, record } = place;
    const toFifo = isFifo(record);
    // A standard queue of a FIFO topic sees no group; of a standard topic it does (fair queues; fanout.md A6, A13).
    const groupId = toFifo || !isFifoTopic(topic) ? entry.groupId : undefined;
    return {
      target: { shard: shard.index, partition },
      messageId: this.#host.options.ids.uuid(),
      subscriptionArn: route.arn,
      raw: route.raw,
      groupId,
      deduplicationId: toFifo ? deduplicationId : undefined,
      deadLetter: failure !== undefined,
    };
  }

  /** The subscriber's queue; or its dead-letter queue, when what stands between is not worth a retry (fanout.md A10). */
  #destinationOf(route: Route, topic: TopicRecord, entry: Pick<PublishEntry, "attributes">): Destination {
    if (route.target.is === "internal") return { place: this.#host.catalog.internalPlace(route.target.spec) };
    const place = this.#host.catalog.place(route.target.queue);
    const failure = place === undefined ? "The queue does not exist." : this.#refuseCopy(route, place, topic, entry);
    if (failure === undefined) return { place };
    const deadLetter =
      route.deadLetterArn === undefined ? undefined : this.#host.catalog.placeOfArn(route.deadLetterArn);
    return { place: deadLetter, failure };
  }

  #refuseCopy(
    route: Route,
    place: Place,
    topic: TopicRecord,
    entry: Pick<PublishEntry, "attributes">,
  ): string | undefined {
    if (route.raw && entry.attributes.length > MESSAGE_ATTRIBUTES_MAX) {
      return `A message with more than ${MESSAGE_ATTRIBUTES_MAX} attributes cannot be delivered raw to a queue.`;
    }
    return this.#host.access.refuseDelivery(topic, place.record);
  }

  #tell(routes: Route[], failed: { route: Route; destination: Destination }[], messageId: string): void {
    const { deliveryRecords, options } = this.#host;
    for (const { route, destination } of failed) {
      const { place, failure } = destination;
      deliveryRecords.failed(route.arn, {
        atMs: options.clock.nowMs(),
        reason: failure ?? "",
        messageId,
        outcome: place === undefined ? "dropped" : "deadLettered",
        ...(place === undefined || route.deadLetterArn === undefined ? {} : { deadLetterArn: route.deadLetterArn }),
      });
    }
    const failedArns = new Set(failed.map(({ route }) => route.arn));
    for (const { arn, target } of routes) {
      if (target.is === "queue" && !failedArns.has(arn)) deliveryRecords.delivered(arn);
    }
  }

  /**
   * Makes the topic's own partition known together with the topic. Were it made with the first message, a crash could
   * leave that message and its copies, and forget the partition that remembers its deduplication id.
   */
  openHome(topic: TopicRecord): void {
    this.#homeOf(topic, topicArn(topic.topic));
  }

  /** The topic's own partition: what it has seen, and what is on its way to other shards. */
  #homeOf(topic: TopicRecord, arn: string): Place {
    let home = this.#homes.get(topic);
    if (home === undefined) {
      const perGroup = topic.attributes.FifoThroughputScope === "MessageGroup";
      home = this.#host.catalog.internalPlace({
        name: homeQueueName(arn),
        attributes: { DeduplicationScope: perGroup ? "messageGroup" : "queue" },
      });
      this.#homes.set(topic, home);
    }
    return home;
  }
}

function answerOf(answer: Result<Published, Refusal>): Result<{ messageId: string; sequenceNumber?: string }, Refusal> {
  if (!answer.ok) return answer;
  const { messageId, sequenceNumber } = answer.value;
  return accept(sequenceNumber === undefined ? { messageId } : { messageId, sequenceNumber });
}
