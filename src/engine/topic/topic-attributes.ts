// Topic attributes: which can be set, what values they take, how they are kept, and what a caller reads back, which is
// more than was set (fanout.md A4).

import { isoTime } from "../../base/iso-time.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import type { CatalogState } from "../catalog/catalog.ts";
import { readPolicy } from "../catalog/policy-document.ts";
import * as limits from "../limits.ts";
import type { Refusal } from "../refusal.ts";
import { effectiveTopicPolicyText, storedTopicPolicy, topicPolicyProblem } from "./delivery-policy.ts";
import { defaultPolicy } from "./topic-permission.ts";
import { isFifoTopic, type TopicRecord, topicArn } from "./topic-record.ts";
import { invalidAttribute, type Occasion } from "./topic-refusals.ts";

/** The value to keep (an empty one removes the attribute), or in words what is wrong with it. */
type Read = { keep: string } | { wrong: string };

interface Rule {
  read: (text: string) => Read;
  fifoOnly?: boolean;
}

const FEEDBACK = ["HTTP", "SQS", "Lambda", "Firehose", "Application"].flatMap((protocol): [string, Rule][] => [
  [`${protocol}SuccessFeedbackRoleArn`, { read: anyText }],
  [`${protocol}FailureFeedbackRoleArn`, { read: anyText }],
  [`${protocol}SuccessFeedbackSampleRate`, { read: percent }],
]);

const RULES: Record<string, Rule> = {
  DisplayName: { read: displayName },
  Policy: { read: policy },
  DeliveryPolicy: { read: deliveryPolicy },
  SignatureVersion: { read: oneOf("1", "2") },
  TracingConfig: { read: oneOf("PassThrough", "Active") },
  KmsMasterKeyId: { read: anyText },
  ContentBasedDeduplication: { read: truth, fifoOnly: true },
  FifoThroughputScope: { read: oneOf("Topic", "MessageGroup"), fifoOnly: true },
  ArchivePolicy: { read: archivePolicy, fifoOnly: true },
  ...Object.fromEntries(FEEDBACK),
};

/** Asked for at CreateTopic; the type of a topic never changes. */
export function asksForFifo(attributes: Record<string, string>): boolean {
  return attributes.FifoTopic?.toLowerCase() === "true";
}

/** The given attributes as they are kept. Saying that a standard topic is no FIFO topic is saying nothing. */
export function readTopicAttributes(
  given: Record<string, string>,
  fifo: boolean,
  occasion: Occasion,
): Result<Record<string, string>, Refusal> {
  const read: Record<string, string> = {};
  for (const [name, text] of Object.entries(given)) {
    if (name === "FifoTopic" && occasion === "making") {
      const value = truth(text);
      if ("wrong" in value) return refuse(invalidAttribute(occasion, `${name}: ${value.wrong}`));
      if (fifo) read.FifoTopic = "true";
      continue;
    }
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (rule === undefined) return refuse(invalidAttribute(occasion, "AttributeName"));
    if (rule.fifoOnly && !fifo) {
      return refuse(invalidAttribute(occasion, `${name} can only be set for FIFO topics`));
    }
    const value = rule.read(text);
    if ("wrong" in value) return refuse(invalidAttribute(occasion, `${name}: ${value.wrong}`));
    if (name === "TracingConfig" && value.keep === "Active" && fifo) {
      return refuse(invalidAttribute(occasion, "TracingConfig: Active is not supported for FIFO topics"));
    }
    read[name] = value.keep;
  }
  return accept(read);
}

/** `current` with `changes` merged in; what is empty goes. */
export function mergeTopicAttributes(
  current: Record<string, string>,
  changes: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...current, ...changes }).filter(([, text]) => text !== ""));
}

/** What every FIFO topic says of itself whether it was set or not. */
export function withFifoDefaults(record: TopicRecord): Record<string, string> {
  return isFifoTopic(record) ? { ContentBasedDeduplication: "false", ...record.attributes } : record.attributes;
}

/** Everything that GetTopicAttributes answers. */
export function describedTopic(catalog: CatalogState, record: TopicRecord): Record<string, string> {
  const arn = topicArn(record.topic);
  let pending = 0;
  let confirmed = 0;
  for (const subscription of catalog.resources.childrenOf("subscription", arn)) {
    if (subscription.pending) pending += 1;
    else confirmed += 1;
  }
  const { DeliveryPolicy } = record.attributes;
  return {
    DisplayName: "",
    Policy: defaultPolicy(record.topic),
    ...withFifoDefaults(record),
    ...(record.archivedSinceMs === undefined ? {} : { BeginningArchiveTime: isoTime(record.archivedSinceMs) }),
    TopicArn: arn,
    Owner: record.topic.account,
    EffectiveDeliveryPolicy: effectiveTopicPolicyText(DeliveryPolicy),
    SubscriptionsConfirmed: String(confirmed),
    SubscriptionsPending: String(pending),
    SubscriptionsDeleted: String(record.deletedSubscriptionCount),
  };
}

function displayName(text: string): Read {
  if (text.length > limits.DISPLAY_NAME_CHARACTERS_MAX) {
    return { wrong: `must be at most ${limits.DISPLAY_NAME_CHARACTERS_MAX} characters long` };
  }
  return { keep: text };
}

function policy(text: string): Read {
  const isPolicy = text.length <= limits.TOPIC_POLICY_BYTES_MAX && readPolicy(text) !== undefined;
  return isPolicy ? { keep: text } : { wrong: "not a valid policy document" };
}

function deliveryPolicy(text: string): Read {
  if (text === "") return { keep: "" };
  const wrong = topicPolicyProblem(text);
  return wrong === undefined ? { keep: storedTopicPolicy(text) } : { wrong };
}

/** `{}` ends archiving. */
function archivePolicy(text: string): Read {
  const wrong = {
    wrong: `MessageRetentionPeriod must be from ${limits.ARCHIVE_DAYS_MIN} to ${limits.ARCHIVE_DAYS_MAX}`,
  };
  if (text === "") return { keep: "" };
  try {
    const document = JSON.parse(text) as { MessageRetentionPeriod?: unknown } | null;
    if (typeof document !== "object" || document === null) return { wrong: "failed to parse JSON" };
    const { MessageRetentionPeriod: days } = document;
    if (days === undefined) return Object.keys(document).length === 0 ? { keep: "" } : wrong;
    if (!/^\d{1,3}$/.test(String(days))) return wrong;
    const count = Number(days);
    return count >= limits.ARCHIVE_DAYS_MIN && count <= limits.ARCHIVE_DAYS_MAX ? { keep: text } : wrong;
  } catch {
    return { wrong: "failed to parse JSON" };
  }
}

function percent(text: string): Read {
  const isPercent = /^\d{1,3}$/.test(text) && Number(text) <= limits.FEEDBACK_SAMPLE_PERCENT_MAX;
  return isPercent
    ? { keep: text }
    : { wrong: `must be a whole number from 0 to ${limits.FEEDBACK_SAMPLE_PERCENT_MAX}` };
}

function truth(text: string): Read {
  const lower = text.toLowerCase();
  if (lower === "true" || lower === "false") return { keep: lower };
  return { wrong: `Invalid value [${text}]. Must be true or false.` };
}

function oneOf(...values: string[]): (text: string) => Read {
  return (text) =>
    values.includes(text) ? { keep: text } : { wrong: `Invalid value [${text}]. Must be ${values.join(" or ")}.` };
}

function anyText(text: string): Read {
  return { keep: text };
}
