// Conditions of policy statements: an operator, a key of the request's context, values of which one must hold. Keys
// are looked up in any case. A key that the request does not carry fails a positive operator and passes a negated one;
// with ...IfExists it passes both. An unknown operator, or values that are not of the operator's type, leave the matter
// unclear; evaluate-policy.ts decides what that means.

import { addressKey, blockOf } from "../../base/ip-address.ts";
import type { Condition } from "./policy-document.ts";
import { matchesArn, matchesText } from "./text-pattern.ts";

/** One value of a key, or several. */
export type Context = Readonly<Record<string, string | readonly string[]>>;

/** `value` comes from the request, `expected` from the policy. Undefined: one of them is not of the operator's type. */
type Comparison = (value: string, expected: string) => boolean | undefined;

interface Operator {
  compare: Comparison;
  /** None of the policy's values may hold, instead of one. */
  isNegated: boolean;
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  ...pair("StringEquals", "StringNotEquals", (value, expected) => value === expected),
  ...pair(
    "StringEqualsIgnoreCase",
    "StringNotEqualsIgnoreCase",
    (value, expected) => value.toLowerCase() === expected.toLowerCase(),
  ),
  ...pair("StringLike", "StringNotLike", (value, expected) => matchesText(expected, value)),
  // The two ARN forms are the same in AWS.
  ...pair("ArnEquals", "ArnNotEquals", (value, expected) => matchesArn(expected, value)),
  ...pair("ArnLike", "ArnNotLike", (value, expected) => matchesArn(expected, value)),
  ...pair(
    "NumericEquals",
    "NumericNotEquals",
    ordered(numberOf, (order) => order === 0),
  ),
  ...orderings("Numeric", numberOf),
  ...pair(
    "DateEquals",
    "DateNotEquals",
    ordered(instantOf, (order) => order === 0),
  ),
  ...orderings("Date", instantOf),
  ...pair("IpAddress", "NotIpAddress", isAddressIn),
  bool: { compare: (value, expected) => value.toLowerCase() === expected.toLowerCase(), isNegated: false },
  binaryequals: { compare: (value, expected) => value === expected, isNegated: false },
};

export type Verdict = boolean | "unclear";

export function judgeCondition({ operator, key, values }: Condition, context: Context): Verdict {
  const parsed = parseOperator(operator);
  const given = valuesOf(context, key);
  if (parsed.name === "null") return values.some((value) => (value.toLowerCase() === "true") === (given === undefined));
  const known = Object.hasOwn(OPERATORS, parsed.name) ? OPERATORS[parsed.name] : undefined;
  if (known === undefined) return "unclear";
  if (given === undefined || given.length === 0) {
    return parsed.ifExists || parsed.quantifier === "all" || (parsed.quantifier === undefined && known.isNegated);
  }
  if (given.some((value) => values.some((expected) => known.compare(value, expected) === undefined))) return "unclear";
  const passes = (value: string) => isOneOf(value, values, known);
  return parsed.quantifier === "any" ? given.some(passes) : given.every(passes);
}

function isOneOf(value: string, values: readonly string[], { compare, isNegated }: Operator): boolean {
  const holds = values.some((expected) => compare(value, expected) === true);
  return holds !== isNegated;
}

function parseOperator(operator: string): { name: string; quantifier: "all" | "any" | undefined; ifExists: boolean } {
  const lower = operator.toLowerCase();
  const quantifier = lower.startsWith("forallvalues:") ? "all" : lower.startsWith("foranyvalue:") ? "any" : undefined;
  const bare = quantifier === undefined ? lower : lower.slice(lower.indexOf(":") + 1);
  const ifExists = bare.endsWith("ifexists");
  return { name: ifExists ? bare.slice(0, -"ifexists".length) : bare, quantifier, ifExists };
}

/** What the request carries for a key, or undefined. */
export function valuesOf(context: Context, key: string): readonly string[] | undefined {
  const wanted = key.toLowerCase();
  const found = Object.entries(context).find(([name]) => name.toLowerCase() === wanted)?.[1];
  return typeof found === "string" ? [found] : found;
}

function pair(name: string, negatedName: string, compare: Comparison): Record<string, Operator> {
  return {
    [name.toLowerCase()]: { compare, isNegated: false },
    [negatedName.toLowerCase()]: { compare, isNegated: true },
  };
}

function orderings(type: string, read: (text: string) => number | undefined): Record<string, Operator> {
  const operator = (holds: (order: number) => boolean) => ({ compare: ordered(read, holds), isNegated: false });
  const lower = type.toLowerCase();
  return {
    [`${lower}lessthan`]: operator((order) => order < 0),
    [`${lower}lessthanequals`]: operator((order) => order <= 0),
    [`${lower}greaterthan`]: operator((order) => order > 0),
    [`${lower}greaterthanequals`]: operator((order) => order >= 0),
  };
}

function ordered(read: (text: string) => number | undefined, holds: (order: number) => boolean): Comparison {
  return (value, expected) => {
    const [left, right] = [read(value), read(expected)];
    return left === undefined || right === undefined ? undefined : holds(left - right);
  };
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? undefined : number;
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):?(\d\d)))?$/;
const DAYS_TO_1970 = 719_468;

/** Seconds since 1970, or an ISO 8601 time, as seconds. Reckoned here: the engine has no clock and no calendar. */
function instantOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const offset = (match[8] === "-" ? -1 : 1) * (part(9) * 3600 + part(10) * 60);
  const seconds = part(4) * 3600 + part(5) * 60 + part(6) + Number(`0.${match[7] ?? 0}`);
  return daysSince1970(part(1), part(2), part(3)) * 86_400 + seconds - offset;
}

/** Years begin in March here, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return (
    years * 365 + Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400) + dayOfYear - DAYS_TO_1970
  );
}

function isAddressIn(value: string, block: string): boolean | undefined {
  const [network = "", bits] = block.split("/");
  const [address, base] = [addressKey(value), addressKey(network)];
  if (address === undefined || base === undefined) return undefined;
  const width = base[0] === "4" ? 32 : 128;
  const size = bits === undefined ? width : Number(bits);
  if (!(Number.isInteger(size) && size >= 0 && size <= width)) return undefined;
  const { low, high } = blockOf(base, size);
  return address >= low && address <= high;
}
