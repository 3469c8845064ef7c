// The ways in which callers name a function: `orders`, `orders:live`, `123456789012:function:orders:1`, or an ARN.

import type { FunctionKey, Scope } from "../../engine/command.ts";
import { FUNCTION_NAME_CHARACTERS_MAX } from "../../engine/function-limits.ts";

export interface FunctionName {
  function: FunctionKey;
  qualifier?: string;
  form: "name" | "partial" | "arn";
}

const NAME =
  /^(?:(arn:[a-z-]+:lambda:)([a-z0-9-]+):(?=\d{12}:function:))?(?:(\d{12}):)?(?:function:)?([\w-]+)(?::(\$LATEST|[\w-]+))?$/;

/** Undefined when the text names no function. */
export function readFunctionName(text: string, scope: Scope): FunctionName | undefined {
  const match = NAME.exec(text);
  if (match === null) return undefined;
  const [, arn, region = scope.region, account = scope.account, name = "", qualifier] = match;
  if (name.length > FUNCTION_NAME_CHARACTERS_MAX) return undefined;
  const form = arn !== undefined ? "arn" : match[3] !== undefined ? "partial" : "name";
  const read: FunctionName = { function: { account, region, name }, form };
  return qualifier === undefined ? read : { ...read, qualifier };
}

/** What a mapping keeps: the qualifier as it was given, but for $LATEST behind a whole ARN (fanout.md C2). */
export function mappedFunctionArn({ function: key, qualifier, form }: FunctionName): string {
  return functionArn(key, form === "arn" && qualifier === "$LATEST" ? undefined : qualifier);
}

export function functionArn({ region, account, name }: FunctionKey, qualifier?: string): string {
  const arn = `arn:aws:lambda:${region}:${account}:function:${name}`;
  return qualifier === undefined ? arn : `${arn}:${qualifier}`;
}
