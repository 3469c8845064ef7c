// Deliveries to subscribers that are not queues of this server. Each such subscription has an internal queue with its
// copies and a deliverer of its own, so that one dead endpoint slows no other. Asking an endpoint to confirm is a
// message in the same queue. Success, retries and giving up by protocol: fanout.md A9, A10 and A15.

import { createHash } from "node:crypto";
import { hidePassword } from "../base/hide-password.ts";
import {
  type Confirmation,
  type Copy,
  confirmationText,
  confirmationToSign,
  decodeCopy,
  decodeEnvelope,
  effectivePolicy,
  FUNCTION_RETRIES,
  functionArn,
  functionEventText,
  isCopy,
  isRaw,
  messageFor,
  notificationText,
  retryDelayMs,
  type SubscriptionRecord,
  subscriptionArn,
  type TopicRecord,
  topicArn,
} from "../engine/index.ts";
import { MAIL_RETRY_MS, OUTBOUND_TIMEOUT_MS } from "../engine/limits.ts";
import { Deliverer, type Delivery, type Verdict } from "./deliverer.ts";
import type { OutboundPost, OutboundResult } from "./outbound.ts";
import type { Publishing } from "./publish.ts";
import type { Place } from "./queue-catalog.ts";
import { Replays } from "./replays.ts";
import type { MillpondHost } from "./start-host.ts";
import { archiveQueueName, deadLetterArnOf, deliveryQueueOf, homeQueueName, QUEUE_PREFIXES } from "./topic-routes.ts";
import type { SubscriptionListener } from "./topics.ts";

const CONCURRENCY_MAX = 10;
const DEAD_AFTER_FAILURES = 20;
/** Beyond the longest exchange, so that no attempt is repeated while it is under way. */
const ATTEMPT_MS = 2 * OUTBOUND_TIMEOUT_MS;
/** For those who unsubscribed without signing: their own queue is gone. */
const FAREWELLS = "sns/farewells";

/** A confirmation on its way, and to whom. */
interface Farewell {
  confirmation: Confirmation;
  protocol: SubscriptionRecord["protocol"];
  endpoint: string;
}

export class SubscriptionDeliveries implements SubscriptionListener {
  readonly #host: MillpondHost;
  readonly #publishing: Publishing;
  readonly #replays: Replays;
  readonly #deliverers = new Map<string, Deliverer>();
  #farewells: Deliverer | undefined;

  constructor(host: MillpondHost, publishing: Publishing) {
    this.#host = host;
    this.#publishing = publishing;
    this.#replays = new Replays(host, publishing);
  }

  /** At start, and after a shard was read again: what the catalog says, no more and no less. */
  start(): void {
    const { catalog, catalogShard } = this.#host;
    const { resources } = catalog;
    for (const record of [...resources.values("subscription")]) {
      this.#ensure(record);
      this.#replays.follow(record);
    }
    for (const arn of [...this.#deliverers.keys()]) {
      if (resources.get("subscription", arn) === undefined) this.#drop(arn);
    }
    for (const { queue } of [...catalogShard.state.catalog.queues.values()]) {
      if (isOrphaned(queue.name, (type, arn) => resources.get(type, arn) !== undefined)) {
        catalog.dropInternalQueue(queue.name);
      }
    }
    if (catalog.internalQueue(FAREWELLS) !== undefined) this.#startFarewells();
  }

  async stop(): Promise<void> {
    const deliverers = [...this.#deliverers.values()];
    if (this.#farewells !== undefined) deliverers.push(this.#farewells);
    await Promise.all(deliverers.map((deliverer) => deliverer.stop()));
  }

  get isIdle(): boolean {
    if (!this.#replays.isIdle || this.#farewells?.isIdle === false) return false;
    for (const deliverer of this.#deliverers.values()) if (!deliverer.isIdle) return false;
    return true;
  }

  onTopicCreated(record: TopicRecord): void {
    this.#publishing.openHome(record);
  }

  async onSubscribed(record: SubscriptionRecord): Promise<void> {
    this.#replays.follow(record);
    if (record.protocol === "sqs") return;
    this.#ensure(record);
    if (!record.pending) return;
    const text = JSON.stringify(this.#confirmation(record, "SubscriptionConfirmation", record.token));
    await this.#enqueue(this.#host.catalog.internalPlace(deliveryQueueOf(subscriptionArn(record.subscription))), text);
  }

  onConfirmed(record: SubscriptionRecord): void {
    this.#ensure(record);
  }

  onSubscriptionChanged(record: SubscriptionRecord): void {
    this.#replays.follow(record);
  }

  async onUnsubscribed(record: SubscriptionRecord, restoreToken?: string): Promise<void> {
    this.#drop(subscriptionArn(record.subscription));
    this.#host.catalog.dropInternalQueue(deliveryQueueOf(subscriptionArn(record.subscription)).name);
    if (restoreToken === undefined) return;
    const farewell: Farewell = {
      confirmation: this.#confirmation(record, "UnsubscribeConfirmation", restoreToken),
      protocol: record.protocol,
      endpoint: record.endpoint,
    };
    const enqueued = this.#enqueue(this.#host.catalog.internalPlace({ name: FAREWELLS }), JSON.stringify(farewell));
    this.#startFarewells();
    await enqueued;
  }

  onTopicDeleted(arn: string): void {
    this.#host.catalog.dropInternalQueue(homeQueueName(arn));
    this.#host.catalog.dropInternalQueue(archiveQueueName(arn));
  }

  #ensure(record: SubscriptionRecord): void {
    if (record.protocol === "sqs") return;
    const arn = subscriptionArn(record.subscription);
    if (this.#deliverers.has(arn)) return;
    const current = () => this.#host.catalog.resources.get("subscription", arn) ?? record;
    const spec = deliveryQueueOf(arn);
    this.#host.catalog.internalPlace(spec);
    const deliverer = new Deliverer(this.#host, {
      queue: spec.name,
      concurrencyMax: CONCURRENCY_MAX,
      deadAfterFailures: DEAD_AFTER_FAILURES,
      attemptMs: ATTEMPT_MS,
      perSecondMax: () => this.#policyOf(current()).maxReceivesPerSecond,
      // A confirmation is nobody's message, and its token is for the endpoint alone.
      deadLetterArn: ({ envelope }) => (isCopy(envelope) ? deadLetterArnOf(current()) : undefined),
      attempt: (delivery, signal) => this.#attempt(current(), delivery, signal),
      onVerdict: (delivery, verdict) => this.#note(current(), delivery, verdict),
    });
    this.#deliverers.set(arn, deliverer);
    deliverer.start();
  }

  #startFarewells(): void {
    this.#farewells ??= new Deliverer(this.#host, {
      queue: FAREWELLS,
      concurrencyMax: CONCURRENCY_MAX,
      attemptMs: ATTEMPT_MS,
      deadLetterArn: () => undefined,
      attempt: ({ envelope, attempt }, signal) => {
        const { confirmation, protocol, endpoint } = readJson<Farewell>(envelope);
        return this.#confirm(confirmation, protocol, endpoint, effectivePolicy(undefined), attempt, signal);
      },
      onVerdict: () => undefined,
    });
    this.#farewells.start();
  }

  #drop(arn: string): void {
    void this.#deliverers.get(arn)?.stop();
    this.#deliverers.delete(arn);
    this.#host.deliveryRecords.forget(arn);
  }

  #attempt(record: SubscriptionRecord, delivery: Delivery, signal: AbortSignal): Promise<Verdict> {
    const { envelope, attempt } = delivery;
    const policy = this.#policyOf(record);
    if (!isCopy(envelope)) {
      const confirmation = readJson<Confirmation>(envelope);
      return this.#confirm(confirmation, record.protocol, record.endpoint, policy, attempt, signal);
    }
    const copy = decodeCopy(envelope);
    switch (record.protocol) {
      case "http":
      case "https":
        return this.#post(record, copy, policy, attempt, signal);
      case "email":
      case "email-json":
        return this.#mail(record, copy, attempt, signal);
      case "lambda":
        return this.#invoke(record, copy, attempt);
      default:
        this.#host.options.log("info", `A text message to ${record.endpoint}: ${messageFor(copy.publication, "sms")}`, {
          messageId: copy.publication.messageId,
        });
        return Promise.resolve({ is: "delivered" });
    }
  }

  async #post(
    record: SubscriptionRecord,
    copy: Copy,
    policy: ReturnType<typeof effectivePolicy>,
    attempt: number,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { publication } = copy;
    const raw = isRaw(record);
    const { protocol } = record;
    const body = raw ? messageFor(publication, protocol) : await this.#notification(copy, protocol);
    const headers: Record<string, string> = {
      ...COMMON_HEADERS,
      "Content-Type": policy.headerContentType,
      "x-amz-sns-message-type": "Notification",
      "x-amz-sns-message-id": publication.messageId,
      "x-amz-sns-topic-arn": publication.topicArn,
      "x-amz-sns-subscription-arn": copy.subscriptionArn,
    };
    if (raw) headers["x-amz-sns-rawdelivery"] = "true";
    return this.#postVerdict({ url: record.endpoint, headers, body }, policy, attempt, signal);
  }

  async #confirm(
    confirmation: Confirmation,
    protocol: SubscriptionRecord["protocol"],
    endpoint: string,
    policy: ReturnType<typeof effectivePolicy>,
    attempt: number,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { opener } = this.#host;
    const signature = await opener.sign(confirmationToSign(confirmation, opener.baseUrl), confirmation.topicArn);
    const body = confirmationText(confirmation, opener.baseUrl, signature);
    if (protocol !== "http" && protocol !== "https") {
      const subject = "AWS Notification - Subscription Confirmation";
      const { Message: message, SubscribeURL: url } = JSON.parse(body) as { Message: string; SubscribeURL: string };
      const text = protocol === "email-json" ? body : `${message}\n\n${url}\n`;
      return this.#send(endpoint, undefined, subject, text, attempt, signal);
    }
    const headers = {
      ...COMMON_HEADERS,
      "Content-Type": "text/plain; charset=UTF-8",
      "x-amz-sns-message-type": confirmation.type,
      "x-amz-sns-message-id": confirmation.messageId,
      "x-amz-sns-topic-arn": confirmation.topicArn,
    };
    return this.#postVerdict({ url: endpoint, headers, body }, policy, attempt, signal);
  }

  async #postVerdict(
    post: Omit<OutboundPost, "timeoutMs">,
    policy: ReturnType<typeof effectivePolicy>,
    attempt: number,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { outbound } = this.#host.options;
    if (outbound === undefined) return { is: "retry", afterMs: ATTEMPT_MS, reason: "This server makes no requests." };
    const result = await outbound.post({ ...post, timeoutMs: OUTBOUND_TIMEOUT_MS }, signal);
    if (signal.aborted) return { is: "retry", afterMs: 0, reason: "The server stopped." };
    return verdictOf(result, retryDelayMs(policy.healthyRetryPolicy, attempt));
  }

  /** Delivered when the event is in the function's own queue of events; what the function makes of it is told there. */
  async #invoke(record: SubscriptionRecord, copy: Copy, attempt: number): Promise<Verdict> {
    const { opener, access } = this.#host;
    const { resources } = this.#host.catalog;
    const [, , , region = "", account = "", , name = "", qualifier] = record.endpoint.split(":");
    const key = { region, account, name };
    const target = resources.get("function", functionArn(key));
    if (target === undefined) return { is: "giveUp", reason: "The function does not exist." };
    const topic = resources.get("topic", copy.publication.topicArn);
    const refused = topic === undefined ? undefined : access.refuseDelivery(topic, target);
    if (refused !== undefined) return { is: "giveUp", reason: refused };
    const event = functionEventText(copy, opener.baseUrl, await opener.signatureOf(copy, "lambda", "1"));
    const outcome = await this.#host.execute<"invokeFunction">({
      kind: "invokeFunction",
      function: key,
      ...(qualifier === undefined ? {} : { qualifier }),
      how: "event",
      payload: Buffer.from(event),
    });
    if (outcome.ok) return { is: "delivered" };
    const { code, message: reason } = outcome.refusal;
    const afterMs = code === "ServiceUnavailable" ? retryDelayMs(FUNCTION_RETRIES, attempt) : undefined;
    return afterMs === undefined ? { is: "giveUp", reason } : { is: "retry", afterMs, reason };
  }

  async #mail(record: SubscriptionRecord, copy: Copy, attempt: number, signal: AbortSignal): Promise<Verdict> {
    const { publication } = copy;
    const isJson = record.protocol === "email-json";
    const unsubscribe = `${this.#host.opener.baseUrl}/?Action=Unsubscribe&SubscriptionArn=${copy.subscriptionArn}`;
    const text = isJson
      ? await this.#notification(copy, record.protocol)
      : `${messageFor(publication, "email")}\n\n--\nTo stop these messages: ${unsubscribe}\n`;
    const displayName = this.#host.catalog.resources.get("topic", publication.topicArn)?.attributes.DisplayName;
    const subject = publication.subject ?? "AWS Notification Message";
    return this.#send(record.endpoint, displayName, subject, text, attempt, signal);
  }

  async #send(
    to: string,
    fromName: string | undefined,
    subject: string,
    text: string,
    attempt: number,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const mail = this.#host.options.outbound?.mail;
    if (mail === undefined) {
      this.#host.options.log("info", `A mail to ${to}, which no mail server is configured for: ${subject}\n${text}`);
      return { is: "delivered" };
    }
    const result = await mail({ to, subject, text, ...(fromName ? { fromName } : {}) }, signal);
    if (signal.aborted) return { is: "retry", afterMs: 0, reason: "The server stopped." };
    return verdictOf(result, MAIL_RETRY_MS[attempt - 1]);
  }

  async #notification(copy: Copy, protocol: string): Promise<string> {
    const { opener } = this.#host;
    return notificationText(copy, protocol, opener.baseUrl, await opener.signatureOf(copy, protocol));
  }

  #note(record: SubscriptionRecord, { envelope }: Delivery, verdict: Verdict): void {
    const { deliveryRecords, options } = this.#host;
    const arn = subscriptionArn(record.subscription);
    if (!isCopy(envelope)) {
      if (verdict.is === "delivered") return;
      deliveryRecords.failed(arn, {
        atMs: options.clock.nowMs(),
        reason: `It could not be asked to confirm. ${verdict.reason}`,
        messageId: readJson<Confirmation>(envelope).messageId,
        outcome: verdict.is === "retry" ? "retried" : "dropped",
      });
      if (verdict.is === "retry") return;
      options.log(
        "warn",
        `${hidePassword(record.endpoint)} could not be asked to confirm its subscription: ${verdict.reason}`,
      );
      return;
    }
    if (verdict.is === "delivered") {
      deliveryRecords.delivered(arn);
      return;
    }
    const { messageId } = decodeCopy(envelope).publication;
    const deadLetterArn = deadLetterArnOf(record);
    const isKept = deadLetterArn !== undefined && this.#host.catalog.targetOf(deadLetterArn) !== undefined;
    deliveryRecords.failed(arn, {
      atMs: options.clock.nowMs(),
      reason: verdict.reason,
      messageId,
      outcome: verdict.is === "retry" ? "retried" : isKept ? "deadLettered" : "dropped",
      ...(verdict.is === "giveUp" && isKept ? { deadLetterArn } : {}),
    });
    if (verdict.is === "giveUp" && !isKept) {
      options.log(
        "warn",
        `A message for ${hidePassword(record.endpoint)} was given up and is gone: ${verdict.reason}`,
        {
          subscription: arn,
          messageId,
        },
      );
    }
  }

  #policyOf(record: SubscriptionRecord): ReturnType<typeof effectivePolicy> {
    const topic = this.#host.catalog.resources.get("topic", topicArn(record.subscription.topic));
    return effectivePolicy(topic?.attributes.DeliveryPolicy, record.attributes.DeliveryPolicy);
  }

  #confirmation(record: SubscriptionRecord, type: Confirmation["type"], token: string): Confirmation {
    const { ids, clock } = this.#host.options;
    return {
      type,
      messageId: ids.uuid(),
      token,
      topicArn: topicArn(record.subscription.topic),
      subscriptionArn: subscriptionArn(record.subscription),
      sentAtMs: clock.nowMs(),
    };
  }

  /** Resolves when it is durable. */
  #enqueue({ shard, partition }: Place, text: string): Promise<void> {
    const body = Buffer.from(text);
    const content = { body, bodyMd5: createHash("md5").update(body).digest(), attributes: [] };
    const { dependsOn } = shard.perform<"sendMessages">({
      kind: "sendMessages",
      partition,
      senderId: "sns",
      batch: false,
      entries: [{ content, sizeBytes: body.length }],
      messageIds: [this.#host.options.ids.uuid()],
    });
    return this.#host.durable(shard, dependsOn);
  }
}

const COMMON_HEADERS = {
  "User-Agent": "Amazon Simple Notification Service Agent",
  "Accept-Encoding": "gzip,deflate",
};

/** Only a server's error, or none at all, is worth a retry; redirects are not followed (fanout.md A9). */
function verdictOf(result: OutboundResult, retryAfterMs: number | undefined): Verdict {
  if (result.is === "answered" && result.status >= 200 && result.status < 300) return { is: "delivered" };
  const reason = result.is === "answered" ? `The endpoint answered ${result.status}.` : result.reason;
  const isWorthRetrying = result.is === "answered" ? result.status >= 500 || result.status === 429 : !result.forGood;
  if (!isWorthRetrying || retryAfterMs === undefined) return { is: "giveUp", reason };
  return { is: "retry", afterMs: retryAfterMs, reason };
}

function isOrphaned(name: string, exists: (type: "topic" | "subscription", arn: string) => boolean): boolean {
  const { topic, archive, subscription } = QUEUE_PREFIXES;
  for (const prefix of [topic, archive])
    if (name.startsWith(prefix)) return !exists("topic", name.slice(prefix.length));
  return name.startsWith(subscription) && !exists("subscription", name.slice(subscription.length));
}

function readJson<Value>(envelope: Uint8Array): Value {
  return JSON.parse(Buffer.from(decodeEnvelope(envelope).content.body).toString()) as Value;
}
