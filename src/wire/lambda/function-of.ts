// The function that a request is about, by whatever name: with the qualifier of the name or of the query string.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { FunctionKey } from "../../engine/command.ts";
import { constraintViolated, type Refusal, refusal } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import { type FunctionName, readFunctionName } from "./function-name.ts";

/** As AWS shows it to those who name a function in another way. */
const PATTERN =
  "(arn:(aws[a-zA-Z-]*)?:lambda:)?([a-z]{2}(-gov)?-[a-z]+-\\d{1}:)?(\\d{12}:)?(function:)?([a-zA-Z0-9-_\\.]+)(:(\\$LATEST|[a-zA-Z0-9-_]+))?";

export interface Qualified {
  function: FunctionKey;
  qualifier?: string;
}

export function functionOf(given: string | undefined, call: Call, qualifier?: string): Result<Qualified, Refusal> {
  const named = namedFunction(given, call);
  if (!named.ok) return named;
  const { function: key, qualifier: ofName } = named.value;
  if (qualifier !== undefined && ofName !== undefined && qualifier !== ofName) {
    return refuse(
      refusal(
        "InvalidParameterValueException",
        "The derived qualifier from the function name does not match the specified qualifier.",
      ),
    );
  }
  const meant = qualifier ?? ofName;
  return accept(meant === undefined ? { function: key } : { function: key, qualifier: meant });
}

export function namedFunction(given: string | undefined, call: Call): Result<FunctionName, Refusal> {
  if (given === undefined) return refuse(constraintViolated(null, "functionName", "Member must not be null"));
  const named = readFunctionName(given, call.scope);
  if (named === undefined) {
    const constraint = `Member must satisfy regular expression pattern: ${PATTERN}`;
    return refuse(constraintViolated(given, "functionName", constraint));
  }
  const { region } = named.function;
  if (region === call.scope.region) return accept(named);
  const [theirs, ours] = [region, call.scope.region].map((name) => `'${name}'`);
  const text = `Functions from ${theirs} are not reachable in this region (${ours})`;
  return refuse(refusal("ResourceNotFoundException", text));
}
