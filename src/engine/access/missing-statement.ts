// The statement that a policy lacks: what an owner would add so that exactly this request, and its like from the same
// source, is allowed. For the doctor and the console to show.

import { type Context, valuesOf } from "./condition.ts";
import type { AccessRequest } from "./evaluate-policy.ts";
import type { Principal } from "./principal.ts";

/** As it stands in a policy's JSON. */
export interface WrittenStatement {
  Sid: string;
  Effect: "Allow";
  Principal: "*" | { Service: string } | { AWS: string };
  Action: string;
  Resource: string;
  Condition?: Record<string, Record<string, string>>;
}

/** Evaluated together with the policy, it allows the request, unless a statement denies it. */
export function missingStatement({ principal, action, resource, context }: AccessRequest): WrittenStatement {
  const source = only(context, "aws:SourceArn");
  const account = only(context, "aws:SourceAccount");
  const who = principal.service?.split(".")[0] ?? principal.arn?.split(/[:/]/).at(-1) ?? principal.account ?? "anybody";
  const statement: WrittenStatement = {
    Sid: sidOf(["allow", who, action.split(":").at(-1) ?? "", source?.split(/[:/]/).at(-1) ?? ""]),
    Effect: "Allow",
    Principal: writtenPrincipal(principal),
    Action: action,
    Resource: resource,
  };
  if (source !== undefined) return { ...statement, Condition: { ArnEquals: { "aws:SourceArn": source } } };
  if (account === undefined) return statement;
  return { ...statement, Condition: { StringEquals: { "aws:SourceAccount": account } } };
}

function only(context: Context, key: string): string | undefined {
  return valuesOf(context, key)?.[0];
}

function writtenPrincipal({ service, arn, account }: Principal): WrittenStatement["Principal"] {
  if (service !== undefined) return { Service: service };
  const named = arn ?? account;
  return named === undefined ? "*" : { AWS: named };
}

/** Sids are letters and digits. */
function sidOf(words: string[]): string {
  const plain = words.join(" ").split(/[^A-Za-z0-9]+/);
  return plain.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
