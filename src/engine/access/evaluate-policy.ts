// Evaluates a resource policy (of a queue, a topic, a function or a bus) for one request, as IAM does: a statement that
// denies wins over all that allow, and what no statement speaks of is not allowed. The caller decides what "noMatch"
// means to it: the owner's own account is let in without a statement, others are not.
//
// A malformed policy never throws. When in doubt, less is allowed: a statement that cannot be read, in whole or in a
// condition, allows nothing, and still denies when that is its effect.

import { type Context, judgeCondition } from "./condition.ts";
import { type NegatableList, type PolicyDocument, readPolicy, type Statement } from "./policy-document.ts";
import { isNamed, type Principal } from "./principal.ts";
import { matchesText } from "./text-pattern.ts";

export interface AccessRequest {
  principal: Principal;
  /** `sqs:SendMessage`; compared in any case. */
  action: string;
  /** The ARN of what is acted on. */
  resource: string;
  /** Condition keys, in any case: `aws:SourceArn`, `aws:SourceAccount`. */
  context: Context;
}

export interface AccessDecision {
  decision: "allow" | "deny" | "noMatch";
  /** Which statement decided: its Sid, else `statement N`, counted from 1. */
  statement?: string;
  /** Set when something of the policy could not be read: how many statements, or all of it. */
  unreadable?: number | "document";
}

/** `policy` is the JSON text; a resource without one has undefined. */
export function evaluatePolicy(policy: string | undefined, request: AccessRequest): AccessDecision {
  if (policy === undefined || policy === "") return { decision: "noMatch" };
  return evaluateDocument(readPolicy(policy), request);
}

/** For who keeps the policy read. */
export function evaluateDocument({ statements, unreadable }: PolicyDocument, request: AccessRequest): AccessDecision {
  const remark = unreadable === 0 ? {} : { unreadable };
  for (const effect of ["Deny", "Allow"] as const) {
    const index = statements.findIndex((each) => each?.effect === effect && applies(each, request));
    if (index < 0) continue;
    const statement = statements[index]?.sid ?? `statement ${index + 1}`;
    return { decision: effect === "Deny" ? "deny" : "allow", statement, ...remark };
  }
  return { decision: "noMatch", ...remark };
}

function applies({ effect, principal, actions, resources, conditions }: Statement, request: AccessRequest): boolean {
  if (!isNamed(principal, request.principal)) return false;
  if (!isOn(actions, (pattern) => isAction(pattern, request.action))) return false;
  if (resources !== undefined && !isOn(resources, (pattern) => matchesText(pattern, request.resource))) return false;
  return conditions.every((condition) => {
    const verdict = judgeCondition(condition, request.context);
    return verdict === "unclear" ? effect === "Deny" : verdict;
  });
}

function isOn({ isNegated, patterns }: NegatableList, matches: (pattern: string) => boolean): boolean {
  return patterns.some(matches) !== isNegated;
}

function isAction(pattern: string, action: string): boolean {
  return matchesText(pattern.toLowerCase(), action.toLowerCase());
}
