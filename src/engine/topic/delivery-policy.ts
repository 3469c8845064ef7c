// How deliveries to HTTP endpoints are tried again: a topic's policy holds for its subscriptions, and a subscription's
// own comes before it unless the topic forbids that (developer guide, "message delivery retries"; fanout.md A10).

import { accept, type Result, refuse } from "../../base/result.ts";
import {
  DEFAULT_DELIVERY_DELAY_SECONDS,
  DEFAULT_DELIVERY_RETRIES,
  DELIVERY_DELAY_SECONDS_MAX,
  DELIVERY_DELAY_SECONDS_MIN,
  DELIVERY_POLICY_BYTES_MAX,
  DELIVERY_RETRIES_MAX,
  DELIVERY_TOTAL_SECONDS_MAX,
} from "../limits.ts";

/** As the policies spell them; delays are in seconds. */
export interface HealthyRetryPolicy {
  minDelayTarget: number;
  maxDelayTarget: number;
  numRetries: number;
  numMaxDelayRetries: number;
  numNoDelayRetries: number;
  numMinDelayRetries: number;
  backoffFunction: BackoffFunction;
}

export type BackoffFunction = "arithmetic" | "exponential" | "geometric" | "linear";

export interface DeliveryPolicy {
  healthyRetryPolicy: HealthyRetryPolicy;
  /** Absent: no limit. */
  maxReceivesPerSecond?: number;
  /** Of notifications; confirmations are always plain text. */
  headerContentType: string;
}

/** A policy as it was set: each part may be missing. */
interface SetPolicy {
  healthyRetryPolicy?: Partial<HealthyRetryPolicy>;
  maxReceivesPerSecond?: number;
  headerContentType?: string;
  disableSubscriptionOverrides: boolean;
}

type Json = Record<string, unknown>;

const DEFAULT_RETRIES: HealthyRetryPolicy = {
  minDelayTarget: DEFAULT_DELIVERY_DELAY_SECONDS,
  maxDelayTarget: DEFAULT_DELIVERY_DELAY_SECONDS,
  numRetries: DEFAULT_DELIVERY_RETRIES,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: "linear",
};
const DEFAULT_CONTENT_TYPE = "text/plain; charset=UTF-8";
const BACKOFFS: readonly unknown[] = ["arithmetic", "exponential", "geometric", "linear"];
const CONTENT_TYPES = [
  ...["application/json", "application/octet-stream", "application/soap+xml", "application/x-www-form-urlencoded"],
  ...["application/xml", "text/css", "text/csv", "text/html", "text/plain", "text/xml"],
];

/** What is wrong with a topic's policy, in a few words; undefined when it is fine. */
export function topicPolicyProblem(text: string): string | undefined {
  const read = readTopicPolicy(text);
  return read.ok ? undefined : read.refusal;
}

export function subscriptionPolicyProblem(text: string): string | undefined {
  const read = readSubscriptionPolicy(text);
  return read.ok ? undefined : read.refusal;
}

/** A topic's policy as it reads back: its parts, and whether subscriptions may have their own. */
export function storedTopicPolicy(text: string): string {
  const { healthyRetryPolicy, maxReceivesPerSecond, headerContentType, ...overrides } = policyOf(readTopicPolicy(text));
  const http: Json = { ...overrides };
  if (healthyRetryPolicy !== undefined) http.defaultHealthyRetryPolicy = healthyRetryPolicy;
  if (maxReceivesPerSecond !== undefined) http.defaultThrottlePolicy = { maxReceivesPerSecond };
  if (headerContentType !== undefined) http.defaultRequestPolicy = { headerContentType };
  return JSON.stringify({ http });
}

/** What holds for a subscription, from the two attributes named DeliveryPolicy; both were checked when they were set. */
export function effectivePolicy(ofTopic: string | undefined, ofSubscription?: string): DeliveryPolicy {
  const topic = policyOf(ofTopic === undefined ? undefined : readTopicPolicy(ofTopic));
  const own = policyOf(ofSubscription === undefined ? undefined : readSubscriptionPolicy(ofSubscription));
  const first = topic.disableSubscriptionOverrides ? topic : own;
  const throttle = first.maxReceivesPerSecond ?? topic.maxReceivesPerSecond;
  return {
    healthyRetryPolicy: { ...DEFAULT_RETRIES, ...(first.healthyRetryPolicy ?? topic.healthyRetryPolicy) },
    ...(throttle === undefined ? {} : { maxReceivesPerSecond: throttle }),
    headerContentType: first.headerContentType ?? topic.headerContentType ?? DEFAULT_CONTENT_TYPE,
  };
}

/** A topic's EffectiveDeliveryPolicy. */
export function effectiveTopicPolicyText(ofTopic: string | undefined): string {
  const { healthyRetryPolicy, maxReceivesPerSecond, headerContentType } = effectivePolicy(ofTopic);
  const { disableSubscriptionOverrides } = policyOf(ofTopic === undefined ? undefined : readTopicPolicy(ofTopic));
  return JSON.stringify({
    http: {
      defaultHealthyRetryPolicy: healthyRetryPolicy,
      disableSubscriptionOverrides,
      ...(maxReceivesPerSecond === undefined ? {} : { defaultThrottlePolicy: { maxReceivesPerSecond } }),
      defaultRequestPolicy: { headerContentType },
    },
  });
}

/** A subscription's EffectiveDeliveryPolicy, with two members that only have a past. */
export function effectiveSubscriptionPolicyText(
  ofTopic: string | undefined,
  ofSubscription: string | undefined,
): string {
  const { healthyRetryPolicy, maxReceivesPerSecond, headerContentType } = effectivePolicy(ofTopic, ofSubscription);
  return JSON.stringify({
    healthyRetryPolicy,
    sicklyRetryPolicy: null,
    throttlePolicy: maxReceivesPerSecond === undefined ? null : { maxReceivesPerSecond },
    requestPolicy: { headerContentType },
    guaranteed: false,
  });
}

function policyOf(read: Result<SetPolicy, string> | undefined): SetPolicy {
  return read?.ok ? read.value : { disableSubscriptionOverrides: false };
}

function readTopicPolicy(text: string): Result<SetPolicy, string> {
  const policy = parse(text);
  if (policy === undefined) return refuse("failed to parse JSON");
  const stranger = strangerProblem(policy, ["http"]);
  if (stranger !== undefined) return refuse(stranger);
  const http = policy.http ?? {};
  if (!isMap(http)) return refuse("http must be a JSON object");
  const { disableSubscriptionOverrides: overrides = false } = http;
  if (typeof overrides !== "boolean") return refuse("http.disableSubscriptionOverrides must be true or false");
  return readPolicy(
    {
      retry: ["http.defaultHealthyRetryPolicy", http.defaultHealthyRetryPolicy],
      throttle: ["http.defaultThrottlePolicy", http.defaultThrottlePolicy],
      request: ["http.defaultRequestPolicy", http.defaultRequestPolicy],
    },
    overrides,
  );
}

function readSubscriptionPolicy(text: string): Result<SetPolicy, string> {
  const policy = parse(text);
  if (policy === undefined) return refuse("failed to parse JSON");
  const stranger = strangerProblem(policy, SUBSCRIPTION_MEMBERS);
  if (stranger !== undefined) return refuse(stranger);
  return readPolicy(
    {
      retry: ["healthyRetryPolicy", policy.healthyRetryPolicy],
      throttle: ["throttlePolicy", policy.throttlePolicy],
      request: ["requestPolicy", policy.requestPolicy],
    },
    false,
  );
}

/** `sicklyRetryPolicy` and `guaranteed` only have a past; what is read back has them, so they are taken again. */
const SUBSCRIPTION_MEMBERS = [
  "healthyRetryPolicy",
  "sicklyRetryPolicy",
  "throttlePolicy",
  "requestPolicy",
  "guaranteed",
];

/** A subscription's members at a topic, which wants them below `http`, are the usual mistake. */
function strangerProblem(policy: Json, known: readonly string[]): string | undefined {
  const stranger = Object.keys(policy).find((name) => !known.includes(name));
  return stranger === undefined ? undefined : `Unexpected JSON member: ${stranger}`;
}

type Named = [name: string, value: unknown];

function readPolicy(
  parts: { retry: Named; throttle: Named; request: Named },
  disableSubscriptionOverrides: boolean,
): Result<SetPolicy, string> {
  const read: SetPolicy = { disableSubscriptionOverrides };
  for (const [name, value] of Object.values(parts)) {
    if (value !== undefined && value !== null && !isMap(value)) return refuse(`${name} must be a JSON object`);
  }
  const retry = parts.retry[1];
  if (isMap(retry)) {
    const problem = retryProblem(parts.retry[0], { ...DEFAULT_RETRIES, ...retry });
    if (problem !== undefined) return refuse(problem);
    const known = Object.keys(DEFAULT_RETRIES).filter((member) => retry[member] !== undefined);
    read.healthyRetryPolicy = Object.fromEntries(known.map((member) => [member, retry[member]]));
  }
  const throttle = parts.throttle[1];
  if (isMap(throttle) && throttle.maxReceivesPerSecond !== undefined) {
    const { maxReceivesPerSecond: limit } = throttle;
    if (!isWhole(limit) || limit < 1) return refuse(`${parts.throttle[0]}.maxReceivesPerSecond must be 1 or more`);
    read.maxReceivesPerSecond = limit;
  }
  const request = parts.request[1];
  if (isMap(request) && request.headerContentType !== undefined) {
    const { headerContentType: type } = request;
    if (typeof type !== "string" || !isContentType(type)) {
      return refuse(`${parts.request[0]}.headerContentType is not a supported content type`);
    }
    read.headerContentType = type;
  }
  return accept(read);
}

function retryProblem(name: string, policy: Json): string | undefined {
  const { minDelayTarget: min, maxDelayTarget: max, numRetries: retries, backoffFunction } = policy;
  const counts = [policy.numNoDelayRetries, policy.numMinDelayRetries, policy.numMaxDelayRetries];
  if (!isWhole(min) || !isWhole(max) || !isWhole(retries) || !counts.every(isWhole)) {
    return `${name} may hold whole numbers only`;
  }
  if (min < DELIVERY_DELAY_SECONDS_MIN) {
    return `${name}.minDelayTarget must be greater than or equal to ${DELIVERY_DELAY_SECONDS_MIN}`;
  }
  if (min > max) return `${name}.minDelayTarget must be between ${DELIVERY_DELAY_SECONDS_MIN} and maxDelayTarget`;
  if (max > DELIVERY_DELAY_SECONDS_MAX) {
    return `${name}.maxDelayTarget must be between minDelayTarget and ${DELIVERY_DELAY_SECONDS_MAX}`;
  }
  if (retries > DELIVERY_RETRIES_MAX) return `${name}.numRetries must be between 0 and ${DELIVERY_RETRIES_MAX}`;
  const [none = 0, atMin = 0, atMax = 0] = counts;
  const between = retries - none - atMin - atMax;
  if (between < 0) return `${name}.numRetries must be at least the sum of the retries of its phases`;
  if (!BACKOFFS.includes(backoffFunction)) return `${name}.backoffFunction must be one of ${BACKOFFS.join(", ")}`;
  // What lies between the phases is not known before the function is: its mean will do.
  const totalSeconds = atMin * min + atMax * max + (between * (min + max)) / 2;
  if (totalSeconds > DELIVERY_TOTAL_SECONDS_MAX) {
    return `${name} must not take longer than ${DELIVERY_TOTAL_SECONDS_MAX} seconds in all`;
  }
  return undefined;
}

function isContentType(text: string): boolean {
  const [type = ""] = text.split(";", 1);
  return CONTENT_TYPES.includes(type.trim().toLowerCase()) && /^[ -~]*$/.test(text);
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isMap(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): Json | undefined {
  if (text.length > DELIVERY_POLICY_BYTES_MAX) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
