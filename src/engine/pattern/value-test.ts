// One test of one value of a field, after compiling. A field passes when any of its tests holds for any of its values;
// "absent" alone speaks of a field without values.

import { addressKey } from "../../base/ip-address.ts";
import type { Scalar } from "./json.ts";
import { matchesWildcard } from "./wildcard.ts";

export type ValueTest =
  | { is: "equals"; value: Scalar }
  /** `text` is in lower case when the case is ignored. */
  | { is: "prefix" | "suffix"; text: string; ignoreCase: boolean }
  | { is: "equalsIgnoreCase"; text: string }
  | { is: "wildcard"; pieces: readonly string[] }
  | NumberRange
  /** Both ends belong to the range; see ip-address.ts for their form. */
  | { is: "address"; low: string; high: string }
  /** Also true for null, and for values of a type that no inner test speaks of. */
  | { is: "anythingBut"; none: readonly ValueTest[] }
  | { is: "present" };

/** Infinite where one end is not given. */
export interface NumberRange {
  is: "range";
  low: number;
  lowOpen: boolean;
  high: number;
  highOpen: boolean;
}

export type FieldTest = ValueTest | { is: "absent" };

export function passes(test: ValueTest, value: Scalar): boolean {
  switch (test.is) {
    case "present":
      return true;
    case "equals":
      return value === test.value;
    case "anythingBut":
      return !test.none.some((inner) => passes(inner, value));
    case "range":
      return typeof value === "number" && isWithin(test, value);
    default:
      return typeof value === "string" && passesText(test, value);
  }
}

export function isWithin({ low, lowOpen, high, highOpen }: Omit<NumberRange, "is">, value: number): boolean {
  return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
}

type TextTest = Exclude<ValueTest, { is: "present" | "equals" | "anythingBut" | "range" }>;

function passesText(test: TextTest, value: string): boolean {
  switch (test.is) {
    case "prefix":
      return (test.ignoreCase ? value.toLowerCase() : value).startsWith(test.text);
    case "suffix":
      return (test.ignoreCase ? value.toLowerCase() : value).endsWith(test.text);
    case "equalsIgnoreCase":
      return value.toLowerCase() === test.text;
    case "wildcard":
      return matchesWildcard(test.pieces, value);
    case "address": {
      const key = addressKey(value);
      return key !== undefined && key >= test.low && key <= test.high;
    }
  }
}

/** Equal texts for equal tests, and only for those: what lets rules share one. */
export function testKey(test: FieldTest): string {
  switch (test.is) {
    case "equals":
      return typeof test.value === "string" ? `equals "${test.value}` : `equals ${test.value}`;
    case "prefix":
    case "suffix":
      return `${test.is} ${test.ignoreCase} ${test.text}`;
    case "equalsIgnoreCase":
      return `equalsIgnoreCase ${test.text}`;
    case "wildcard":
      return `wildcard ${JSON.stringify(test.pieces)}`;
    case "range":
      return `range ${test.low} ${test.lowOpen} ${test.high} ${test.highOpen}`;
    case "address":
      return `address ${test.low} ${test.high}`;
    case "anythingBut":
      return `anythingBut ${testsKey(test.none)}`;
    default:
      return test.is;
  }
}

export function testsKey(tests: readonly FieldTest[]): string {
  return JSON.stringify(tests.map(testKey));
}
