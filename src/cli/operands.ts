// Reading what the user typed: operands by number, durations and numbers by flag, with a sentence for each mistake.

import { DURATION_ALLOWED, parseDurationMs } from "../config/index.ts";
import type { Call } from "./command.ts";
import { textFlag } from "./command.ts";
import { usageError } from "./exit-codes.ts";

/** Exactly these operands, by name; `usage` is shown when the count differs. */
export function operandsOf<const Names extends readonly string[]>(
  call: Call,
  names: Names,
  usage: string,
): { [Index in keyof Names]: string } {
  if (call.operands.length !== names.length || call.operands.some((operand) => operand === "")) {
    throw usageError(`Usage: millpond ${usage}`);
  }
  return call.operands as unknown as { [Index in keyof Names]: string };
}

/** SQS's APIs take whole seconds. */
export function secondsFlag(call: Call, name: string): number | undefined {
  const given = textFlag(call, name);
  if (given === undefined) return undefined;
  const durationMs = parseDurationMs(given);
  if (durationMs === undefined) throw usageError(`--${name} is "${given}", which is not ${DURATION_ALLOWED}.`);
  if (durationMs % 1000 !== 0) throw usageError(`--${name} is "${given}", but SQS counts in whole seconds.`);
  return durationMs / 1000;
}

export function numberFlag(call: Call, name: string): number | undefined {
  const given = textFlag(call, name);
  if (given === undefined) return undefined;
  if (!/^\d+$/.test(given)) throw usageError(`--${name} is "${given}", which is not a whole number.`);
  return Number(given);
}

/** Leaves out what was not given, so that the server's defaults apply. */
export function given<Values extends object>(values: Values): Given<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<Values>;
}

type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
