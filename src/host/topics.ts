// Topics and subscriptions: the catalog (shard 0) decides, and answers when that is durable. What follows from a
// change of a subscription besides its record (a queue for its deliveries, a message that asks for confirmation) is
// done in the same turn by whoever listens here.

import { unreachable } from "../base/assert.ts";
import { accept, type Result } from "../base/result.ts";
import type { Outcome } from "../engine/command.ts";
import {
  decideAddTopicPermission,
  decideConfirmSubscription,
  decideCreateTopic,
  decideDeleteTopic,
  decideRemoveTopicPermission,
  decideSetSmsAttributes,
  decideSetSubscriptionAttribute,
  decideSetTopicAttribute,
  decideSubscribe,
  decideTagTopic,
  decideUnsubscribe,
  decideUntagTopic,
  describedSubscription,
  describedTopic,
  listSubscriptions,
  listSubscriptionsOfTopic,
  listTopics,
  listTopicTags,
  type Recorder,
  requireSubscription,
  requireTopic,
  type ShardState,
  type SubscriptionRecord,
  smsAttributesOf,
  subscriptionArn,
  type TopicCommand,
  type TopicRecord,
  topicArn,
} from "../engine/index.ts";
import type { Refusal } from "../engine/refusal.ts";
import type { MillpondHost } from "./start-host.ts";

/** Called after the catalog has decided and before the answer leaves, which waits for what they record on shard 0. */
export interface SubscriptionListener {
  /** A topic is there, perhaps since long. */
  onTopicCreated(record: TopicRecord): void;
  /**
   * A subscription is new, or somebody subscribed again while it waits to be confirmed. Resolves when what asks for
   * the confirmation is durable: the answer waits for that, too.
   */
  onSubscribed(record: SubscriptionRecord): Promise<void>;
  /** Confirmed, or restored after it had gone. */
  onConfirmed(record: SubscriptionRecord): void;
  /** Its attributes are others now. */
  onSubscriptionChanged(record: SubscriptionRecord): void;
  /**
   * It is gone, by an Unsubscribe or with its topic. With a token, its endpoint is told how to restore it; resolves when
   * that is durable.
   */
  onUnsubscribed(record: SubscriptionRecord, restoreToken?: string): Promise<void>;
  /** Its subscriptions have gone before it. */
  onTopicDeleted(topicArn: string): void;
}

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

export class Topics {
  readonly #host: MillpondHost;
  readonly #listener: SubscriptionListener;

  constructor(host: MillpondHost, listener: SubscriptionListener) {
    this.#host = host;
    this.#listener = listener;
  }

  execute(command: TopicCommand): Promise<Outcome> {
    switch (command.kind) {
      case "createTopic":
        return this.#create(command);
      case "deleteTopic":
        return this.#delete(command);
      case "setTopicAttribute":
        return this.#change((state, record) => decideSetTopicAttribute(state, command, record));
      case "tagTopic":
        return this.#change((state, record) => decideTagTopic(state, command, record));
      case "untagTopic":
        return this.#change((state, record) => decideUntagTopic(state, command, record));
      case "addTopicPermission":
        return this.#change((state, record) => decideAddTopicPermission(state, command, record));
      case "removeTopicPermission":
        return this.#change((state, record) => decideRemoveTopicPermission(state, command, record));
      case "subscribe":
        return this.#subscribe(command);
      case "confirmSubscription":
        return this.#confirm(command);
      case "unsubscribe":
        return this.#unsubscribe(command);
      case "setSubscriptionAttribute":
        return this.#setSubscriptionAttribute(command);
      case "setSmsAttributes":
        return this.#change((state, record) => decideSetSmsAttributes(state, command, record));
      case "sendSms":
        return Promise.resolve(accept({ messageId: this.#sendSms(command) }));
      case "listTopics":
        return this.#read((state) => listTopics(state, command));
      case "listTopicTags":
        return this.#read((state) => listTopicTags(state, command));
      case "listSubscriptions":
        return this.#read((state) => listSubscriptions(state, command));
      case "listSubscriptionsOfTopic":
        return this.#read((state) => listSubscriptionsOfTopic(state, command));
      case "getSmsAttributes":
        return this.#read((state) => accept({ attributes: smsAttributesOf(state, command.scope) }));
      case "getTopicAttributes":
        return this.#read((state) => {
          const found = requireTopic(state.catalog, command.topic);
          return found.ok ? accept({ attributes: describedTopic(state.catalog, found.value) }) : found;
        });
      case "getSubscriptionAttributes":
        return this.#read((state) => {
          const found = requireSubscription(state.catalog, command.subscription);
          if (!found.ok) return found;
          const topic = state.catalog.resources.get("topic", topicArn(command.subscription.topic));
          return accept({ attributes: describedSubscription(found.value, topic) });
        });
      default:
        return unreachable(command);
    }
  }

  async #create(command: CommandOf<"createTopic">): Promise<Outcome> {
    const outcome = await this.#decide(
      (state, record) => decideCreateTopic(state, command, record),
      (record) => {
        this.#listener.onTopicCreated(record);
        return undefined;
      },
    );
    return outcome.ok ? accept({ topicArn: topicArn(outcome.value.topic) }) : outcome;
  }

  async #delete(command: CommandOf<"deleteTopic">): Promise<Outcome> {
    const outcome = await this.#decide(
      (state, record) => decideDeleteTopic(state, command, record),
      (gone) => {
        const told = gone.map((record) => this.#listener.onUnsubscribed(record));
        this.#listener.onTopicDeleted(topicArn(command.topic));
        return Promise.all(told);
      },
    );
    return outcome.ok ? accept(null) : outcome;
  }

  async #subscribe(command: CommandOf<"subscribe">): Promise<Outcome> {
    const token = this.#freshToken();
    const subscriptionId = this.#host.options.ids.uuid();
    const outcome = await this.#decide(
      (state, record) => decideSubscribe(state, { ...command, subscriptionId, token }, record),
      (record) => {
        const isNew = record.subscription.id === subscriptionId;
        return isNew || record.pending ? this.#listener.onSubscribed(record) : undefined;
      },
    );
    if (!outcome.ok) return outcome;
    const { subscription, pending } = outcome.value;
    return accept({ subscriptionArn: subscriptionArn(subscription), pending });
  }

  async #confirm(command: CommandOf<"confirmSubscription">): Promise<Outcome> {
    const outcome = await this.#decide(
      (state, record) => decideConfirmSubscription(state, command, record),
      (record) => {
        this.#listener.onConfirmed(record);
        return undefined;
      },
    );
    return outcome.ok ? accept({ subscriptionArn: subscriptionArn(outcome.value.subscription) }) : outcome;
  }

  async #unsubscribe(command: CommandOf<"unsubscribe">): Promise<Outcome> {
    const token = this.#freshToken();
    const outcome = await this.#decide(
      (state, record) => decideUnsubscribe(state, { ...command, token }, record),
      (gone) => (gone === undefined ? undefined : this.#listener.onUnsubscribed(gone.was, gone.restoreToken)),
    );
    return outcome.ok ? accept(null) : outcome;
  }

  async #setSubscriptionAttribute(command: CommandOf<"setSubscriptionAttribute">): Promise<Outcome> {
    const outcome = await this.#decide(
      (state, record) => decideSetSubscriptionAttribute(state, command, record),
      (record) => {
        this.#listener.onSubscriptionChanged(record);
        return undefined;
      },
    );
    return outcome.ok ? accept(null) : outcome;
  }

  #freshToken(): string {
    const { uuid } = this.#host.options.ids;
    return `${uuid()}${uuid()}`.replaceAll("-", "");
  }

  /** No carrier is at the other end: the operator may read it. */
  #sendSms({ phoneNumber, text }: CommandOf<"sendSms">): string {
    const messageId = this.#host.options.ids.uuid();
    this.#host.options.log("info", `A text message to ${phoneNumber}: ${text}`, { messageId });
    return messageId;
  }

  async #change(decision: (state: ShardState, record: Recorder) => Result<unknown, Refusal>): Promise<Outcome> {
    const outcome = await this.#decide(decision);
    return outcome.ok ? accept(null) : outcome;
  }

  /** What an accepted decision leads to is recorded in the same turn as the decision. */
  async #decide<Value>(
    decision: (state: ShardState, record: Recorder) => Result<Value, Refusal>,
    then: (value: Value) => Promise<unknown> | undefined = () => undefined,
  ): Promise<Result<Value, Refusal>> {
    const shard = this.#host.catalogShard;
    const full = this.#host.refuseSends(shard);
    if (full !== undefined) return { ok: false, refusal: full };
    const { answer, dependsOn } = this.#host.catalog.change(decision);
    const followed = answer.ok ? then(answer.value) : undefined;
    await Promise.all([this.#host.durable(shard, dependsOn), followed]);
    return answer;
  }

  async #read(read: (state: ShardState) => Result<unknown, Refusal>): Promise<Outcome> {
    const shard = this.#host.catalogShard;
    const { answer, dependsOn } = shard.run(read);
    await shard.whenDurable(dependsOn);
    return answer as Outcome;
  }
}
