// Compiles `numeric`: ["=", n], or one bound, or a lower and then an upper bound. The texts are AWS's, also where they
// show which token its parser happened to stand on.

import { isScalar, type Json } from "./json.ts";
import type { NumberRange, ValueTest } from "./value-test.ts";

const ALL: NumberRange = {
  is: "range",
  low: Number.NEGATIVE_INFINITY,
  lowOpen: false,
  high: Number.POSITIVE_INFINITY,
  highOpen: false,
};

type Tests = readonly ValueTest[];

export class NumericCompiler {
  readonly #fail: (text: string) => void;

  constructor(fail: (text: string) => void) {
    this.#fail = fail;
  }

  tests(expression: readonly Json[]): Tests {
    const [operator, value] = expression;
    if (typeof operator !== "string") return this.#refuse(`Invalid member in numeric match: ${tokenText(operator)}`);
    if (!["=", "<", "<=", ">", ">="].includes(operator)) {
      return this.#refuse(`Unrecognized numeric range operator: ${operator}`);
    }
    if (typeof value !== "number") {
      return this.#refuse(`Value of ${operator === "=" ? "equals" : operator} must be numeric`);
    }
    if (expression.length > 2) {
      if (operator.startsWith(">")) return this.#upperBound(value, operator === ">", expression.slice(2));
      return this.#refuse("Too many elements in numeric expression");
    }
    switch (operator) {
      case "=":
        return [{ is: "equals", value }];
      case ">":
      case ">=":
        return [{ ...ALL, low: value, lowOpen: operator === ">" }];
      default:
        return [{ ...ALL, high: value, highOpen: operator === "<" }];
    }
  }

  #upperBound(low: number, lowOpen: boolean, rest: readonly Json[]): Tests {
    const [operator, high] = rest;
    if (typeof operator !== "string") return this.#refuse(`Bad value in numeric range: ${tokenText(operator)}`);
    if (operator !== "<" && operator !== "<=") return this.#refuse(`Bad numeric range operator: ${operator}`);
    if (typeof high !== "number") return this.#refuse(`Value of ${operator} must be numeric`);
    if (rest.length > 2) return this.#refuse("Too many terms in numeric range expression");
    if (low >= high) return this.#refuse("Bottom must be less than top");
    return [{ is: "range", low, lowOpen, high, highOpen: operator === "<" }];
  }

  #refuse(text: string): [] {
    this.#fail(text);
    return [];
  }
}

/** What a parser would show of the value's first token; nothing more to read is the end of the array. */
function tokenText(value: Json | undefined): string {
  if (value === undefined) return "]";
  if (isScalar(value)) return String(value);
  return Array.isArray(value) ? "[" : "{";
}
