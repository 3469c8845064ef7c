// Where a subscription delivers to: which protocols there are here, and what an endpoint of each looks like. Whether a
// topic takes such an endpoint depends on its type and is the engine's to say (fanout.md A5).

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { SubscriptionProtocol } from "../../engine/command.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import { invalid, noValue } from "./refusals.ts";

export interface Endpoint {
  protocol: SubscriptionProtocol;
  endpoint: string;
}

/** What is wrong with an endpoint, if anything. */
type Check = (endpoint: string) => Refusal | undefined;

const QUEUE_ARN = /^arn:[a-z-]+:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,80}(?:\.fifo)?$/;
const FUNCTION_ARN = /^arn:[a-z-]+:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]+(?::[A-Za-z0-9$_-]+)?$/;
const EMAIL = /^[^\s@<>",;]+@[^\s@<>",;]+$/;
const E164 = /^\+?[1-9]\d{1,14}$/;

const CHECKS: Record<SubscriptionProtocol, Check> = {
  sqs: pattern(QUEUE_ARN, "SQS endpoint ARN"),
  lambda: pattern(FUNCTION_ARN, "Lambda endpoint ARN"),
  http: checkUrl("http:"),
  https: checkUrl("https:"),
  email: pattern(EMAIL, "Email address"),
  "email-json": pattern(EMAIL, "Email address"),
  sms: (endpoint) =>
    isPhoneNumber(endpoint) ? undefined : refusal("InvalidParameter", `Invalid SMS endpoint: ${endpoint}`),
};

/** AWS's protocols that end at services which are not here. */
const NOT_OFFERED = new Set(["application", "firehose"]);

export function readEndpoint(protocol: string | undefined, endpoint: string | undefined): Result<Endpoint, Refusal> {
  if (protocol === undefined || protocol === "") return refuse(noValue("Protocol"));
  if (NOT_OFFERED.has(protocol)) {
    return refuse(invalid(`Protocol Reason: Subscriptions of protocol ${protocol} are not offered by this server`));
  }
  if (!Object.hasOwn(CHECKS, protocol)) {
    return refuse(invalid(`Amazon SNS does not support this protocol string: ${protocol}`));
  }
  if (endpoint === undefined || endpoint === "") return refuse(noValue("Endpoint"));
  const known = protocol as SubscriptionProtocol;
  const problem = CHECKS[known](endpoint);
  return problem === undefined ? accept({ protocol: known, endpoint }) : refuse(problem);
}

/** E.164, with single separators between digits. */
export function isPhoneNumber(text: string): boolean {
  return !/[./-]{2}|^[./-]|[./-]$|\+[./-]/.test(text) && E164.test(text.replace(/[./-]/g, ""));
}

function pattern(form: RegExp, name: string): Check {
  return (endpoint) => (form.test(endpoint) ? undefined : invalid(name));
}

function checkUrl(scheme: string): Check {
  return (endpoint) => {
    const matches = URL.canParse(endpoint) && new URL(endpoint).protocol === scheme;
    return matches ? undefined : invalid("Endpoint must match the specified protocol");
  };
}
