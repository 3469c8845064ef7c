// Compiles a pattern's JSON: checks it as AWS does, with AWS's texts (those of its rule compiler, which SNS,
// EventBridge, pipes and event source mappings share), and multiplies `$or` out into alternatives.

import { accept, type Result, refuse } from "../../base/result.ts";
import { PATTERN_ALTERNATIVES_MAX } from "../limits.ts";
import { FieldCompiler } from "./compile-field.ts";
import type { Dialect, Fault, PolicyLimits } from "./dialect.ts";
import { isObject, JSON_DEPTH_MAX, type Json, type JsonObject, parseJson } from "./json.ts";
import { jsonFault } from "./json-fault.ts";
import type { Pattern } from "./pattern.ts";
import type { FieldTest } from "./value-test.ts";

export interface PatternProblem {
  /** Worded as the dialect's service words it. */
  message: string;
}

/** Never throws, whatever the text. */
export function compilePattern(text: string, dialect: Dialect): Result<Pattern, PatternProblem> {
  const json = parseJson(text);
  if (json === undefined) return refuse({ message: dialect.word("json", jsonFault(text)) });
  const bytesMax = dialect.limits?.bytesMax ?? Number.POSITIVE_INFINITY;
  if (Buffer.byteLength(text) > bytesMax) {
    return refuse({ message: dialect.word("pattern", `Filter policy is larger than ${bytesMax} bytes`) });
  }
  return compileParsedPattern(json, dialect);
}

export function compileParsedPattern(json: Json, dialect: Dialect): Result<Pattern, PatternProblem> {
  const compiler = new Compiler(dialect);
  const alternatives = compiler.compile(json);
  const problem = compiler.problem ?? (dialect.limits && overLimits(json as JsonObject, dialect.limits));
  if (problem === undefined) return accept({ alternatives });
  return refuse({ message: dialect.word(problem.fault, problem.text) });
}

interface Problem {
  fault: Fault;
  text: string;
}

type Fields = Map<string, readonly FieldTest[]>;

/** Names that are operators, or may become some, are no fields inside `$or`: with one of them it is a field itself. */
const RESERVED_IN_OR = new Set([
  ...["exactly", "equals-ignore-case", "prefix", "suffix", "anything-but", "exists", "wildcard", "numeric", "cidr"],
  ...["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case", "in-date-range"],
  ...["date-after", "date-on-or-after", "date-before", "date-on-or-before"],
  ...["ip-address-in-range", "ip-address-not-in-range"],
]);

/** The first problem found is the one told; what is compiled after it is thrown away. */
class Compiler {
  problem: Problem | undefined;
  readonly #dialect: Dialect;
  readonly #field: FieldCompiler;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#field = new FieldCompiler(dialect, (text) => this.#fail(text));
  }

  compile(json: Json): Fields[] {
    if (!isObject(json)) {
      this.#fail("Filter is not an object");
      return [];
    }
    return this.#object(json, "", 1, [new Map()]);
  }

  #fail(text: string, fault: Fault = "pattern"): void {
    this.problem ??= { fault, text };
  }

  /** Adds the object's fields to each of the alternatives there are. A path given twice counts the second time. */
  #object(object: JsonObject, path: string, depth: number, given: Fields[]): Fields[] {
    const entries = Object.entries(object);
    if (entries.length === 0) this.#fail("Empty objects are not allowed");
    if (depth > JSON_DEPTH_MAX) this.#fail(`Patterns deeper than ${JSON_DEPTH_MAX} levels are not allowed`);
    let alternatives = given;
    for (const [key, value] of entries) {
      if (this.problem !== undefined) return [];
      alternatives = this.#member(key, value, path, depth, alternatives);
    }
    return alternatives;
  }

  #member(key: string, value: Json, path: string, depth: number, given: Fields[]): Fields[] {
    if (key === "$or" && isAlternation(value)) return this.#or(value, path, depth, given);
    const name = path === "" ? key : `${path}.${key}`;
    if (Array.isArray(value)) {
      if (value.length === 0) this.#fail("Empty arrays are not allowed");
      const tests = value.flatMap((match) => this.#field.tests(match));
      for (const fields of given) fields.set(name, tests);
      return given;
    }
    if (!isObject(value)) {
      this.#fail(`"${key}" must be an object or an array`);
      return given;
    }
    if (!this.#dialect.isNested) this.#fail("nested", "nesting");
    return this.#object(value, name, depth + 1, given);
  }

  #or(branches: readonly JsonObject[], path: string, depth: number, given: Fields[]): Fields[] {
    const alternatives: Fields[] = [];
    for (const branch of branches) {
      const copies = given.map((fields) => new Map(fields));
      alternatives.push(...this.#object(branch, path, depth + 1, copies));
      if (alternatives.length > PATTERN_ALTERNATIVES_MAX) {
        this.#fail(`Rule is too complex - its $or make more than ${PATTERN_ALTERNATIVES_MAX} combinations`);
      }
      if (this.problem !== undefined) return [];
    }
    return alternatives;
  }
}

function isAlternation(value: Json): value is readonly JsonObject[] {
  if (!Array.isArray(value) || value.length < 2) return false;
  return value.every((branch) => isObject(branch) && !Object.keys(branch).some((key) => RESERVED_IN_OR.has(key)));
}

function overLimits(policy: JsonObject, { keysMax, combinationsMax }: PolicyLimits): Problem | undefined {
  if (Object.keys(policy).length > keysMax) {
    return { fault: "pattern", text: `Filter policy can not have more than ${keysMax} keys` };
  }
  if (combinations(policy, 1) > combinationsMax) return { fault: "pattern", text: "Filter policy is too complex" };
  return undefined;
}

/** Values times depth, multiplied over the keys; the branches of `$or` are added up. Of checked patterns only. */
function combinations(object: JsonObject, depth: number): number {
  let product = 1;
  for (const [key, value] of Object.entries(object)) {
    if (key === "$or" && isAlternation(value)) {
      product *= value.reduce((sum, branch) => sum + combinations(branch, depth), 0);
    } else if (Array.isArray(value)) product *= value.length * depth;
    else product *= combinations(value as JsonObject, depth + 1);
  }
  return product;
}
