// Queue attributes: which exist, what values they take, and how a change is merged into what a queue has. All or
// nothing: every value is checked before any is kept. Table and texts: sqs.md §3.1, §3.3, §3.6.

import { canonicalJson } from "../../base/canonical-json.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import { isWellFormedPolicy } from "../access/policy-document.ts";
import type { QueueAttributes } from "../command.ts";
import * as limits from "../limits.ts";
import { type Refusal, refusal, unknownAttribute } from "../refusal.ts";
import { readPolicy } from "./policy-document.ts";
import { parseRedriveAllowPolicy, parseRedrivePolicy } from "./redrive-policy.ts";

/** Reads one value: the spelling to keep, or undefined when it is not valid. */
type Reader = (text: string) => string | undefined;

interface AttributeRule {
  read: Reader;
  fifoOnly?: "unknown elsewhere" | "refused elsewhere";
  /** An empty value removes the attribute. */
  removable?: boolean;
}

const seconds = (min: number, max: number) => wholeNumber(min / 1000, max / 1000);

const RULES: Record<string, AttributeRule> = {
  DelaySeconds: { read: seconds(0, limits.DELAY_MS_MAX) },
  MaximumMessageSize: { read: wholeNumber(limits.MESSAGE_BYTES_MIN_SETTING, limits.MESSAGE_BYTES_MAX) },
  MessageRetentionPeriod: { read: seconds(limits.RETENTION_MS_MIN, limits.RETENTION_MS_MAX) },
  ReceiveMessageWaitTimeSeconds: { read: seconds(0, limits.WAIT_MS_MAX) },
  VisibilityTimeout: { read: seconds(0, limits.VISIBILITY_MS_MAX) },
  Policy: { read: policyText, removable: true },
  RedrivePolicy: { read: (text) => text, removable: true },
  RedriveAllowPolicy: { read: (text) => text, removable: true },
  KmsMasterKeyId: { read: (text) => text, removable: true },
  KmsDataKeyReusePeriodSeconds: { read: wholeNumber(limits.KMS_REUSE_SECONDS_MIN, limits.KMS_REUSE_SECONDS_MAX) },
  SqsManagedSseEnabled: { read: truth },
  FifoQueue: { read: truth, fifoOnly: "unknown elsewhere" },
  ContentBasedDeduplication: { read: truth, fifoOnly: "unknown elsewhere" },
  DeduplicationScope: { read: oneOf("queue", "messageGroup"), fifoOnly: "refused elsewhere" },
  FifoThroughputLimit: { read: oneOf("perQueue", "perMessageGroupId"), fifoOnly: "refused elsewhere" },
};

const DEFAULTS: QueueAttributes = {
  DelaySeconds: String(limits.DEFAULT_DELAY_MS / 1000),
  MaximumMessageSize: String(limits.MESSAGE_BYTES_MAX),
  MessageRetentionPeriod: String(limits.DEFAULT_RETENTION_MS / 1000),
  ReceiveMessageWaitTimeSeconds: String(limits.DEFAULT_WAIT_MS / 1000),
  VisibilityTimeout: String(limits.DEFAULT_VISIBILITY_MS / 1000),
  SqsManagedSseEnabled: "true",
};

const FIFO_DEFAULTS: QueueAttributes = {
  FifoQueue: "true",
  ContentBasedDeduplication: "false",
  DeduplicationScope: "queue",
  FifoThroughputLimit: "perQueue",
};

export function defaultAttributes(fifo: boolean): QueueAttributes {
  return fifo ? { ...DEFAULTS, ...FIFO_DEFAULTS } : { ...DEFAULTS };
}

/** Asked for at CreateQueue: only "true" makes a FIFO queue, in any case of letters. */
export function asksForFifo(attributes: QueueAttributes): boolean {
  return truth(attributes.FifoQueue ?? "") === "true";
}

/**
 * The given attributes as they would be kept; an empty text stands for "remove". Refuses what a queue of that kind
 * cannot have. What needs other queues (the redrive target) is checked by the caller.
 */
export function readAttributes(given: QueueAttributes, fifo: boolean): Result<QueueAttributes, Refusal> {
  const read: QueueAttributes = {};
  for (const [name, text] of Object.entries(given)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (rule === undefined) return refuse(unknownAttribute(name));
    if (rule.fifoOnly !== undefined && !fifo) return refuse(notOnStandard(name, rule.fifoOnly));
    if (rule.removable && text === "") {
      read[name] = "";
      continue;
    }
    const value = rule.read(text);
    if (value === undefined) return refuse(invalidAttributeValue(name));
    read[name] = value;
  }
  return refuseCombination(read) ?? accept(read);
}

/** `current` with `changes` merged in, rules between attributes applied. */
export function mergeAttributes(current: QueueAttributes, changes: QueueAttributes): Result<QueueAttributes, Refusal> {
  const merged = { ...current, ...changes };
  if (changes.KmsMasterKeyId) merged.SqsManagedSseEnabled = "false";
  else if (changes.SqsManagedSseEnabled === "true" || changes.KmsMasterKeyId === "") {
    delete merged.KmsMasterKeyId;
    delete merged.KmsDataKeyReusePeriodSeconds;
  }
  for (const [name, text] of Object.entries(merged)) {
    if (text === "") delete merged[name];
  }
  if (merged.FifoThroughputLimit === "perMessageGroupId" && merged.DeduplicationScope !== "messageGroup") {
    return refuse(
      refusal(
        "InvalidAttributeValue",
        "The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup",
      ),
    );
  }
  return accept(merged);
}

/** The first given attribute that differs from what the queue has; JSON ones are compared by meaning. */
export function differingAttribute(given: QueueAttributes, current: QueueAttributes): string | undefined {
  return Object.keys(given).find((name) => canonical(name, given[name] ?? "") !== canonical(name, current[name] ?? ""));
}

export function invalidAttributeValue(name: string, reason?: string): Refusal {
  const tail = reason === undefined ? "" : ` Reason: ${reason}`;
  return refusal("InvalidAttributeValue", `Invalid value for the parameter ${name}.${tail}`);
}

function notOnStandard(name: string, how: "unknown elsewhere" | "refused elsewhere"): Refusal {
  if (how === "unknown elsewhere") return unknownAttribute(name);
  return refusal("InvalidAttributeName", `You can specify the ${name} only when FifoQueue is set to true.`);
}

function refuseCombination(read: QueueAttributes): { ok: false; refusal: Refusal } | undefined {
  if (read.KmsMasterKeyId && read.SqsManagedSseEnabled === "true") {
    return refuse(
      refusal(
        "InvalidAttributeName",
        "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.",
      ),
    );
  }
  const statements = read.Policy ? statementCount(read.Policy) : 0;
  if (statements > limits.POLICY_STATEMENTS_MAX) {
    const allowed = `max allowed is ${limits.POLICY_STATEMENTS_MAX}`;
    return refuse(refusal("OverLimit", `${statements} statements were found in the submitted policy, ${allowed}`));
  }
  if (read.RedrivePolicy) {
    const policy = parseRedrivePolicy(read.RedrivePolicy);
    if (!policy.ok) return policy;
  }
  if (read.RedriveAllowPolicy) {
    const policy = parseRedriveAllowPolicy(read.RedriveAllowPolicy);
    if (!policy.ok) return policy;
  }
  return undefined;
}

const JSON_ATTRIBUTES = new Set(["Policy", "RedrivePolicy", "RedriveAllowPolicy"]);

function canonical(name: string, text: string): string {
  return JSON_ATTRIBUTES.has(name) && text !== "" ? canonicalJson(text) : text;
}

function wholeNumber(min: number, max: number): Reader {
  return (text) => {
    if (!/^\d{1,10}$/.test(text)) return undefined;
    const value = Number(text);
    return value >= min && value <= max ? String(value) : undefined;
  };
}

function truth(text: string): string | undefined {
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower : undefined;
}

function oneOf(...values: string[]): Reader {
  return (text) => (values.includes(text) ? text : undefined);
}

function policyText(text: string): string | undefined {
  const isPolicy = text.length <= limits.POLICY_BYTES_MAX && readPolicy(text) !== undefined;
  return isPolicy && isWellFormedPolicy(text) ? text : undefined;
}

/** Of a policy that `policyText` let through. */
function statementCount(text: string): number {
  const { Statement: statements } = JSON.parse(text) as { Statement: unknown };
  return Array.isArray(statements) ? statements.length : 1;
}
