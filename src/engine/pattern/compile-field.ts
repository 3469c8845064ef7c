// Compiles what a field's array may hold: a value to equal, or an object with one operator. Unusable input is told to
// `fail` and compiles to nothing.

import { parseCidr } from "./cidr.ts";
import { NumericCompiler } from "./compile-numeric.ts";
import type { Dialect } from "./dialect.ts";
import { isObject, isScalar, type Json, type JsonObject } from "./json.ts";
import type { FieldTest, ValueTest } from "./value-test.ts";
import { isTooComplex, parseWildcard } from "./wildcard.ts";

type Tests = readonly ValueTest[];

const ONE_KEY = "Only one key allowed in match expression";
const ANYTHING_BUT_VALUE = "Value of anything-but must be an array or single string/number value.";
const TOO_MANY = "Too many elements in numeric expression";

export class FieldCompiler {
  readonly #dialect: Dialect;
  readonly #fail: (text: string) => void;
  readonly #numeric: NumericCompiler;

  constructor(dialect: Dialect, fail: (text: string) => void) {
    this.#dialect = dialect;
    this.#fail = fail;
    this.#numeric = new NumericCompiler(fail);
  }

  tests(match: Json): readonly FieldTest[] {
    if (isScalar(match)) return [{ is: "equals", value: match }];
    if (isObject(match)) return this.#expression(match);
    return this.#refuse("Match value must be String, number, true, false, or null");
  }

  #refuse(text: string): [] {
    this.#fail(text);
    return [];
  }

  #expression(expression: JsonObject): readonly FieldTest[] {
    const [entry, second] = Object.entries(expression);
    if (entry === undefined) return this.#refuse("Match expression name not found");
    const [operator, value] = entry;
    if (!this.#dialect.operators.has(operator)) return this.#refuse(`Unrecognized match type ${operator}`);
    const tests = this.#operation(operator, value);
    if (second === undefined) return tests;
    // The wrong text for anything-but is AWS's.
    return this.#refuse(operator === "numeric" || operator === "anything-but" ? TOO_MANY : ONE_KEY);
  }

  #operation(operator: string, value: Json): readonly FieldTest[] {
    switch (operator) {
      case "prefix":
      case "suffix":
        return this.#end(operator, value);
      case "equals-ignore-case":
        if (typeof value !== "string") return this.#refuse("equals-ignore-case match pattern must be a string");
        return [{ is: "equalsIgnoreCase", text: value.toLowerCase() }];
      case "wildcard":
        return this.#wildcard(value);
      case "anything-but":
        return this.#anythingBut(value);
      case "numeric":
        if (!Array.isArray(value)) return this.#refuse("Value of numeric must be an array.");
        return this.#numeric.tests(value);
      case "exists":
        if (typeof value !== "boolean") return this.#refuse("exists match pattern must be either true or false.");
        return [{ is: value ? "present" : "absent" }];
      default:
        return this.#cidr(value);
    }
  }

  #end(operator: "prefix" | "suffix", value: Json): Tests {
    if (typeof value === "string") return [{ is: operator, text: value, ignoreCase: false }];
    if (!isObject(value) || !this.#dialect.ignoresCaseOfEnds) {
      return this.#refuse(`${operator} match pattern must be a string`);
    }
    const [entry, second] = Object.entries(value);
    const name = operator === "prefix" ? "Prefix" : "Suffix";
    if (entry === undefined) return this.#refuse(`${name} expression name not found`);
    if (entry[0] !== "equals-ignore-case") return this.#refuse(`Unsupported ${operator} pattern: ${entry[0]}`);
    const text = entry[1];
    if (typeof text !== "string") return this.#refuse("equals-ignore-case match pattern must be a string");
    if (second !== undefined) return this.#refuse(ONE_KEY);
    return [{ is: operator, text: text.toLowerCase(), ignoreCase: true }];
  }

  #wildcard(value: Json): Tests {
    if (typeof value !== "string") return this.#refuse("wildcard match pattern must be a string");
    const parsed = parseWildcard(value);
    if (!parsed.ok) return this.#refuse(parsed.message);
    const { pieces } = parsed;
    if (isTooComplex(pieces)) {
      return this.#refuse(
        "Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character",
      );
    }
    if (pieces.length === 1) return [{ is: "equals", value: pieces[0] as string }];
    return [{ is: "wildcard", pieces }];
  }

  #cidr(value: Json): Tests {
    // The text names another operator; it is AWS's.
    if (typeof value !== "string") return this.#refuse("prefix match pattern must be a string");
    const range = parseCidr(value);
    if (!range.ok) return this.#refuse(range.message);
    return [{ is: "address", low: range.low, high: range.high }];
  }

  #anythingBut(value: Json): Tests {
    if (isObject(value)) return this.#anythingButOperator(value);
    const isList = Array.isArray(value);
    if (!isList && typeof value !== "string" && typeof value !== "number") return this.#refuse(ANYTHING_BUT_VALUE);
    const values: readonly Json[] = isList ? value : [value as Json];
    const types = new Set(values.map((each) => typeof each));
    if (values.some((each) => typeof each !== "string" && typeof each !== "number")) {
      return this.#refuse("Inside anything but list, start|null|boolean is not supported.");
    }
    if (types.size !== 1) {
      return this.#refuse(
        "Inside anything but list, either all values are number or string, mixed type is not supported",
      );
    }
    return [{ is: "anythingBut", none: values.map((each) => ({ is: "equals", value: each as string | number })) }];
  }

  #anythingButOperator(expression: JsonObject): Tests {
    const [entry, second] = Object.entries(expression);
    if (entry === undefined) return this.#refuse("Anything-But expression name not found");
    const [operator, value] = entry;
    if (!this.#dialect.anythingBut.has(operator)) {
      return this.#refuse(`Unsupported anything-but pattern: ${operator}`);
    }
    if (!Array.isArray(value) && typeof value !== "string" && typeof value !== "number") {
      return this.#refuse(ANYTHING_BUT_VALUE);
    }
    const none = (Array.isArray(value) ? value : [value]).flatMap((each) => this.#excluded(operator, each));
    if (second !== undefined) return this.#refuse(TOO_MANY);
    return [{ is: "anythingBut", none }];
  }

  #excluded(operator: string, value: Json): Tests {
    switch (operator) {
      case "equals-ignore-case":
        if (typeof value === "string") return [{ is: "equalsIgnoreCase", text: value.toLowerCase() }];
        return this.#refuse("Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.");
      case "wildcard":
        return this.#wildcard(value);
      default:
        if (typeof value !== "string") return this.#refuse("prefix/suffix match pattern must be a string");
        if (value === "") return this.#refuse("Null prefix/suffix not allowed");
        return [{ is: operator as "prefix" | "suffix", text: value, ignoreCase: false }];
    }
  }
}
