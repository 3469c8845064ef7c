// A topic's access policy: the one that every topic begins with, and the statements that AddPermission and
// RemovePermission put in and take out by label (fanout.md A4).

import { assert } from "../../base/assert.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import { oneOrMany, type PolicyDocument, readPolicy } from "../catalog/policy-document.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { TopicCommand } from "./topic-command.ts";
import { type TopicKey, type TopicRecord, topicArn } from "./topic-record.ts";
import { invalid, requireTopic } from "./topic-refusals.ts";

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

const OWNERS_ACTIONS = [
  "GetTopicAttributes",
  "SetTopicAttributes",
  "AddPermission",
  "RemovePermission",
  "DeleteTopic",
  "Subscribe",
  "ListSubscriptionsByTopic",
  "Publish",
];
const GRANTABLE = new Set([...OWNERS_ACTIONS, "Receive", "*"]);

export function defaultPolicy(topic: TopicKey): string {
  return JSON.stringify({
    Version: "2008-10-17",
    Id: "__default_policy_ID",
    Statement: [
      {
        Sid: "__default_statement_ID",
        Effect: "Allow",
        Principal: { AWS: "*" },
        Action: OWNERS_ACTIONS.map((action) => `SNS:${action}`),
        Resource: topicArn(topic),
        Condition: { StringEquals: { "AWS:SourceOwner": topic.account } },
      },
    ],
  });
}

export function decideAddTopicPermission(
  state: ShardState,
  { topic, label, accountIds, actions }: CommandOf<"addTopicPermission">,
  record: Recorder,
): Result<TopicRecord, Refusal> {
  const found = requireTopic(state.catalog, topic);
  if (!found.ok) return found;
  if (!actions.every((action) => GRANTABLE.has(action))) {
    return refuse(invalid("Policy statement action out of service scope!"));
  }
  const policy = policyOf(found.value);
  if (policy.Statement.some(({ Sid }) => Sid === label)) return refuse(invalid("Statement already exists"));
  policy.Statement.push({
    Sid: label,
    Effect: "Allow",
    Principal: { AWS: oneOrMany(accountIds.map((account) => `arn:aws:iam::${account}:root`)) },
    Action: oneOrMany(actions.map((action) => `SNS:${action}`)),
    Resource: topicArn(topic),
  });
  return accept(recordPolicy(found.value, policy, record));
}

/** A label that is not there is gone already. */
export function decideRemoveTopicPermission(
  state: ShardState,
  { topic, label }: CommandOf<"removeTopicPermission">,
  record: Recorder,
): Result<TopicRecord, Refusal> {
  const found = requireTopic(state.catalog, topic);
  if (!found.ok) return found;
  const policy = policyOf(found.value);
  const Statement = policy.Statement.filter(({ Sid }) => Sid !== label);
  return accept(recordPolicy(found.value, { ...policy, Statement }, record));
}

function policyOf({ topic, attributes }: TopicRecord): PolicyDocument {
  const policy = readPolicy(attributes.Policy ?? defaultPolicy(topic));
  assert(policy !== undefined, "a topic's policy was checked when it was set");
  return policy;
}

function recordPolicy(current: TopicRecord, policy: PolicyDocument, record: Recorder): TopicRecord {
  const changed = { ...current, attributes: { ...current.attributes, Policy: JSON.stringify(policy) } };
  record({ kind: "ResourceRecorded", entry: { type: "topic", key: topicArn(current.topic), record: changed } });
  return changed;
}
