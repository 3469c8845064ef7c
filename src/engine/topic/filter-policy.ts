// A subscription's filter policy and what it is matched against. The language is pattern/'s.

import { compilePattern } from "../pattern/compile.ts";
import { SNS_ATTRIBUTES, SNS_BODY } from "../pattern/dialect.ts";

export function isFilterPolicyScope(text: string): boolean {
  return text === "MessageAttributes" || text === "MessageBody";
}

/** What is wrong with a filter policy, worded for behind `Invalid parameter: `; undefined when it is fine. */
export function filterPolicyProblem(text: string, scope: string | undefined): string | undefined {
  const compiled = compilePattern(text, scope === "MessageBody" ? SNS_BODY : SNS_ATTRIBUTES);
  return compiled.ok ? undefined : compiled.refusal.message;
}
