// The ARNs of topics and subscriptions as callers give them: `arn:aws:sns:{region}:{account}:{topic}[:{uuid}]`. Which
// account does not matter here, the region does: every region is a world of its own (fanout.md A4, A5).

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { SubscriptionKey, TopicKey } from "../../engine/command.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import { invalid, noValue } from "./refusals.ts";

const ARN_PARTS_MIN = 6;

/** `parameter` is what the request calls it. */
export function topicOf(arn: string | undefined, call: Call, parameter = "TopicArn"): Result<TopicKey, Refusal> {
  const parts = partsOf(arn, parameter);
  if (!parts.ok) return parts;
  const [, , service, region = "", account = "", name = "", ...rest] = parts.value;
  if (service !== "sns" || name === "" || rest.length > 0 || !isHere(region, call)) return refuse(invalid(parameter));
  return accept({ account, region, name });
}

export function subscriptionOf(arn: string | undefined, call: Call): Result<SubscriptionKey, Refusal> {
  const parts = partsOf(arn, "SubscriptionArn");
  if (!parts.ok) return parts;
  const [, , service, region = "", account = "", name = "", id = "", ...rest] = parts.value;
  if (service !== "sns" || name === "" || !isHere(region, call)) return refuse(invalid("SubscriptionArn"));
  if (id === "" || rest.length > 0) return refuse(invalid("SubscriptionId"));
  return accept({ topic: { account, region, name }, id });
}

function partsOf(arn: string | undefined, parameter: string): Result<string[], Refusal> {
  if (arn === undefined || arn === "") return refuse(noValue(parameter));
  const parts = arn.split(":");
  if (parts.length < ARN_PARTS_MIN) {
    const least = `An ARN must have at least ${ARN_PARTS_MIN} elements, not ${parts.length}`;
    return refuse(invalid(`${parameter} Reason: ${least}`));
  }
  return accept(parts);
}

/** A caller without a signature is wherever the ARN is. */
function isHere(region: string, call: Call): boolean {
  return !call.regionIsSigned || region === call.scope.region;
}
