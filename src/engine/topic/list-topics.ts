// Topics and subscriptions in pages of 100, in lexical order of their ARNs. A token is the place where the next page
// begins, so pages stay right while topics come and go.

import { accept, type Result, refuse } from "../../base/result.ts";
import type { Scope } from "../command.ts";
import { TOPIC_LIST_RESULTS_MAX } from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import type { ShardState } from "../state.ts";
import type { SubscriptionRecord } from "./subscription-record.ts";
import { subscriptionArn } from "./subscription-record.ts";
import type { SubscriptionSummary, TopicAnswers, TopicCommand } from "./topic-command.ts";
import { topicArn } from "./topic-record.ts";
import { invalid, requireTopic } from "./topic-refusals.ts";

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

interface Page {
  arns: string[];
  nextToken?: string;
}

export function listTopics(
  state: ShardState,
  { scope, nextToken }: CommandOf<"listTopics">,
): Result<TopicAnswers["listTopics"], Refusal> {
  const arns: string[] = [];
  for (const { topic } of state.catalog.resources.values("topic")) {
    if (isIn(topic, scope)) arns.push(topicArn(topic));
  }
  const page = pageOf(arns, nextToken);
  if (!page.ok) return page;
  const { arns: topicArns, ...more } = page.value;
  return accept({ topicArns, ...more });
}

/** Those that the account made, to whosever topics. */
export function listSubscriptions(
  state: ShardState,
  { scope, nextToken }: CommandOf<"listSubscriptions">,
): Result<TopicAnswers["listSubscriptions"], Refusal> {
  const found: SubscriptionRecord[] = [];
  for (const record of state.catalog.resources.values("subscription")) {
    if (isIn({ account: record.owner, region: record.subscription.topic.region }, scope)) found.push(record);
  }
  return subscriptionsPage(state, found, nextToken);
}

export function listSubscriptionsOfTopic(
  state: ShardState,
  { topic, nextToken }: CommandOf<"listSubscriptionsOfTopic">,
): Result<TopicAnswers["listSubscriptionsOfTopic"], Refusal> {
  const found = requireTopic(state.catalog, topic);
  if (!found.ok) return found;
  const subscriptions = state.catalog.resources.childrenOf("subscription", topicArn(topic));
  return subscriptionsPage(state, subscriptions, nextToken);
}

function subscriptionsPage(
  state: ShardState,
  records: Iterable<SubscriptionRecord>,
  nextToken: string | undefined,
): Result<TopicAnswers["listSubscriptions"], Refusal> {
  const arns = Array.from(records, ({ subscription }) => subscriptionArn(subscription));
  const page = pageOf(arns, nextToken);
  if (!page.ok) return page;
  const { arns: shown, ...more } = page.value;
  const subscriptions = shown.map((arn) =>
    summaryOf(arn, state.catalog.resources.get("subscription", arn) as SubscriptionRecord),
  );
  return accept({ subscriptions, ...more });
}

function summaryOf(arn: string, record: SubscriptionRecord): SubscriptionSummary {
  const { subscription, protocol, endpoint, owner, pending } = record;
  return { arn, topicArn: topicArn(subscription.topic), protocol, endpoint, owner, pending };
}

function pageOf(arns: string[], nextToken: string | undefined): Result<Page, Refusal> {
  const after = nextToken === undefined ? "" : readToken(nextToken);
  if (after === undefined) return refuse(invalid("NextToken"));
  const rest = arns.filter((arn) => arn > after).sort();
  const shown = rest.slice(0, TOPIC_LIST_RESULTS_MAX);
  if (rest.length === shown.length) return accept({ arns: shown });
  return accept({ arns: shown, nextToken: btoa(shown.at(-1) as string) });
}

/** The last ARN of the page before; undefined when it never was a token. */
function readToken(token: string): string | undefined {
  try {
    const arn = atob(token);
    return arn.startsWith("arn:") ? arn : undefined;
  } catch {
    return undefined;
  }
}

function isIn({ account, region }: Scope, scope: Scope): boolean {
  return account === scope.account && region === scope.region;
}
