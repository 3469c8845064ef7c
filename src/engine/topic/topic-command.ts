// What may be asked about topics and subscriptions, and the answers. Publishing is command.ts's, beside sending.

import type { Scope } from "../command.ts";
import type { SubscriptionKey, SubscriptionProtocol } from "./subscription-record.ts";
import type { TopicKey } from "./topic-record.ts";

/** Attributes as AWS spells them. */
type Attributes = Record<string, string>;

export type TopicCommand =
  | { kind: "createTopic"; topic: TopicKey; attributes: Attributes; tags: Record<string, string> }
  /** A topic that is not there is gone already. */
  | { kind: "deleteTopic"; topic: TopicKey }
  | { kind: "listTopics"; scope: Scope; nextToken?: string }
  | { kind: "getTopicAttributes"; topic: TopicKey }
  | { kind: "setTopicAttribute"; topic: TopicKey; name: string; value: string }
  | { kind: "tagTopic"; topic: TopicKey; tags: Record<string, string> }
  | { kind: "untagTopic"; topic: TopicKey; tagKeys: string[] }
  | { kind: "listTopicTags"; topic: TopicKey }
  | { kind: "addTopicPermission"; topic: TopicKey; label: string; accountIds: string[]; actions: string[] }
  | { kind: "removeTopicPermission"; topic: TopicKey; label: string }
  | {
      kind: "subscribe";
      topic: TopicKey;
      protocol: SubscriptionProtocol;
      /** Its form is the protocol's. */
      endpoint: string;
      attributes: Attributes;
      /** Account and ARN of the caller. */
      owner: string;
      principal: string;
    }
  | {
      kind: "confirmSubscription";
      /** Of the topic that the caller named; which topic of it does not matter. */
      scope: Scope;
      token: string;
      authenticateOnUnsubscribe: boolean;
      /** Whether the call was signed. */
      authenticated: boolean;
    }
  /** A subscription that is not there is gone already. */
  | { kind: "unsubscribe"; subscription: SubscriptionKey; authenticated: boolean }
  | { kind: "listSubscriptions"; scope: Scope; nextToken?: string }
  | { kind: "listSubscriptionsOfTopic"; topic: TopicKey; nextToken?: string }
  | { kind: "getSubscriptionAttributes"; subscription: SubscriptionKey }
  | { kind: "setSubscriptionAttribute"; subscription: SubscriptionKey; name: string; value: string }
  | { kind: "getSmsAttributes"; scope: Scope }
  | { kind: "setSmsAttributes"; scope: Scope; attributes: Attributes }
  /** To a phone number without a topic. */
  | { kind: "sendSms"; phoneNumber: string; text: string };

export interface SubscriptionSummary {
  arn: string;
  topicArn: string;
  protocol: SubscriptionProtocol;
  endpoint: string;
  owner: string;
  pending: boolean;
}

export interface TopicAnswers {
  createTopic: { topicArn: string };
  deleteTopic: null;
  listTopics: { topicArns: string[]; nextToken?: string };
  getTopicAttributes: { attributes: Attributes };
  setTopicAttribute: null;
  tagTopic: null;
  untagTopic: null;
  listTopicTags: { tags: Record<string, string> };
  addTopicPermission: null;
  removeTopicPermission: null;
  subscribe: { subscriptionArn: string; pending: boolean };
  confirmSubscription: { subscriptionArn: string };
  unsubscribe: null;
  listSubscriptions: { subscriptions: SubscriptionSummary[]; nextToken?: string };
  listSubscriptionsOfTopic: { subscriptions: SubscriptionSummary[]; nextToken?: string };
  getSubscriptionAttributes: { attributes: Attributes };
  setSubscriptionAttribute: null;
  getSmsAttributes: { attributes: Attributes };
  setSmsAttributes: null;
  sendSms: { messageId: string };
}

const KINDS: Record<TopicCommand["kind"], true> = {
  createTopic: true,
  deleteTopic: true,
  listTopics: true,
  getTopicAttributes: true,
  setTopicAttribute: true,
  tagTopic: true,
  untagTopic: true,
  listTopicTags: true,
  addTopicPermission: true,
  removeTopicPermission: true,
  subscribe: true,
  confirmSubscription: true,
  unsubscribe: true,
  listSubscriptions: true,
  listSubscriptionsOfTopic: true,
  getSubscriptionAttributes: true,
  setSubscriptionAttribute: true,
  getSmsAttributes: true,
  setSmsAttributes: true,
  sendSms: true,
};

export function isTopicCommand<Any extends { kind: string }>(command: Any | TopicCommand): command is TopicCommand {
  return Object.hasOwn(KINDS, command.kind);
}
