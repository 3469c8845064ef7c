// Reading a value of a config file by a table of the fields that it may have. What is wrong is collected with its place
// and what is allowed, so that one reading shows all of it.

import { formatDuration, parseDurationMs } from "../config/index.ts";

export interface Problem {
  /** `queues.orders.delay`; empty for the whole file. */
  path: string;
  text: string;
}

export interface Field<Value> {
  /** Ends "takes ...". */
  allowed: string;
  /** Undefined: the value is not allowed. */
  read(value: unknown): Value | undefined;
  required?: boolean;
}

type Fields = Record<string, Field<unknown>>;
type ValuesOf<Table extends Fields> = {
  [Name in keyof Table]?: Table[Name] extends Field<infer Value> ? Value : never;
};

export function readFields<Table extends Fields>(
  table: Table,
  value: unknown,
  path: string,
  problems: Problem[],
): ValuesOf<Table> {
  const values: Record<string, unknown> = {};
  if (!isObject(value)) {
    problems.push({ path, text: `is ${shown(value)}, and takes an object with ${Object.keys(table).join(", ")}` });
    return values as ValuesOf<Table>;
  }
  for (const [name, field] of Object.entries(table)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined) {
      if (field.required === true) problems.push({ path, text: `needs "${name}": ${field.allowed}` });
      continue;
    }
    values[name] = field.read(given);
    if (values[name] === undefined) {
      problems.push({ path: join(path, name), text: `is ${shown(given)}, and takes ${field.allowed}` });
    }
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(table, name)) continue;
    problems.push({ path: join(path, name), text: `is not known; there are ${Object.keys(table).join(", ")}` });
  }
  return values as ValuesOf<Table>;
}

export const text: Field<string> = {
  allowed: "a text",
  read: (value) => (typeof value === "string" && value !== "" ? value : undefined),
};

export const httpUrl: Field<string> = {
  allowed: 'a URL, such as "http://127.0.0.1:9000"',
  read: (value) => (typeof value === "string" && isHttpUrl(value) ? value : undefined),
};

export const onOff: Field<boolean> = {
  allowed: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
};

export const object: Field<Record<string, unknown>> = {
  allowed: "an object",
  read: (value) => (isObject(value) ? value : undefined),
};

export const list: Field<unknown[]> = {
  allowed: "a list",
  read: (value) => (Array.isArray(value) ? value : undefined),
};

export const objects: Field<object[]> = {
  allowed: "a list of objects",
  read: (value) => (Array.isArray(value) && value.every(isObject) ? value : undefined),
};

/** Environment variables: texts, and what has only one spelling as a text. */
export const texts: Field<Record<string, string>> = {
  allowed: "an object of texts, numbers, true and false",
  read(value) {
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value);
    if (entries.some(([, each]) => !["string", "number", "boolean"].includes(typeof each))) return undefined;
    return Object.fromEntries(entries.map(([name, each]) => [name, String(each)]));
  },
};

export function wholeNumber(min: number, max: number): Field<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    read: (value) => (Number.isInteger(value) && inRange(value as number, min, max) ? (value as number) : undefined),
  };
}

/** Milliseconds; AWS counts these in whole seconds. */
export function seconds(minMs: number, maxMs: number): Field<number> {
  return {
    allowed: `whole seconds from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, such as "30s" or "5m"`,
    read(value) {
      const ms = typeof value === "string" || typeof value === "number" ? parseDurationMs(String(value)) : undefined;
      return ms !== undefined && ms % 1000 === 0 && inRange(ms, minMs, maxMs) ? ms : undefined;
    },
  };
}

export function choice<const Choice extends string>(...choices: Choice[]): Field<Choice> {
  return {
    allowed: `one of ${choices.map((each) => `"${each}"`).join(", ")}`,
    read: (value) => choices.find((each) => each === value),
  };
}

export function required<Value>(field: Field<Value>): Field<Value> & { required: true } {
  return { ...field, required: true };
}

export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function inRange(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

function shown(value: unknown): string {
  const whole = JSON.stringify(value) ?? String(value);
  return whole.length > 60 ? `${whole.slice(0, 59)}…` : whole;
}
