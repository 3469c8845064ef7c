// What the catalog keeps of one subscription: who gets what a topic publishes, and how.

import { type TopicKey, topicArn } from "./topic-record.ts";

export interface SubscriptionKey {
  topic: TopicKey;
  /** UUID: the last part of the ARN. */
  id: string;
}

export type SubscriptionProtocol = "sqs" | "http" | "https" | "email" | "email-json" | "sms" | "lambda";

/** Endpoints of these prove themselves: nobody else could have given them a place to deliver to. */
export const CONFIRMED_AT_ONCE: readonly SubscriptionProtocol[] = ["sqs", "lambda", "sms"];

export interface SubscriptionRecord {
  subscription: SubscriptionKey;
  protocol: SubscriptionProtocol;
  /** As given: a queue's or function's ARN, a URL, an address, a phone number. */
  endpoint: string;
  /** Account that subscribed, 12 digits. */
  owner: string;
  /** ARN of the caller that subscribed. */
  principal: string;
  /** As set: RawMessageDelivery, FilterPolicy, FilterPolicyScope, RedrivePolicy, DeliveryPolicy, ... */
  attributes: Record<string, string>;
  /** Not confirmed yet: nothing but the confirmation is delivered. */
  pending: boolean;
  /** Confirmed by a signed call, or by the owner's own Subscribe. */
  confirmationWasAuthenticated: boolean;
  /** Confirmed with AuthenticateOnUnsubscribe: an unsigned Unsubscribe is refused. */
  unsubscribeNeedsAuthentication: boolean;
  /** What ConfirmSubscription must bring, and until when; kept after the confirmation, which may be repeated. */
  token: string;
  tokenExpiresAtMs: number;
  createdAtMs: number;
  /** How far a replay is; of an earlier policy when `policy` is not the attribute ReplayPolicy. */
  replay?: ReplayProgress;
}

export interface ReplayProgress {
  /** The ReplayPolicy that is followed. */
  policy: string;
  status: "Pending" | "In progress" | "Completed" | "Failed";
  /** The last message of the archive that has been looked at. */
  afterSeq: number;
}

export function subscriptionArn({ topic, id }: SubscriptionKey): string {
  return `${topicArn(topic)}:${id}`;
}

/** The message text alone, or the notification around it? */
export function isRaw(record: SubscriptionRecord): boolean {
  return record.attributes.RawMessageDelivery === "true";
}

/** The attribute ReplayStatus; undefined without a ReplayPolicy. */
export function replayStatus({ attributes, replay }: SubscriptionRecord): ReplayProgress["status"] | undefined {
  if (attributes.ReplayPolicy === undefined) return undefined;
  return replay?.policy === attributes.ReplayPolicy ? replay.status : "Pending";
}
