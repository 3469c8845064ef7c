// Sets of rules, each of one kind. `number` runs from 0 and makes every rule a different one.

import type { JsonObject } from "../../src/engine/index.ts";
import { STREETS_COUNT, streetName } from "./events.ts";

export interface RuleSet {
  kind: string;
  rule: (number: number) => JsonObject;
}

const street = (number: number) => streetName((number * 3) % STREETS_COUNT);

export const RULE_SETS: readonly RuleSet[] = [
  { kind: "exact", rule: (number) => ({ properties: { STREET: [street(number)] } }) },
  { kind: "prefix", rule: (number) => ({ properties: { STREET: [{ prefix: street(number).slice(0, 4) }] } }) },
  { kind: "suffix", rule: (number) => ({ properties: { STREET: [{ suffix: street(number).slice(2) }] } }) },
  {
    kind: "wildcard",
    rule: (number) => {
      const name = street(number);
      const shapes = [`${name.slice(0, 2)}*${name.slice(-3)}`, `*${name.slice(1, 5)}*`, `${name.slice(0, 3)}*`];
      return { properties: { STREET: [{ wildcard: shapes[number % shapes.length] as string }] } };
    },
  },
  { kind: "anything-but", rule: (number) => ({ properties: { STREET: [{ "anything-but": street(number) }] } }) },
  {
    kind: "exact and anything-but",
    rule: (number) => ({
      properties: { STREET: [street(number)], ST_TYPE: [{ "anything-but": ["ST", "AVE"] }], ODD_EVEN: ["O"] },
    }),
  },
  {
    kind: "numeric",
    rule: (number) => ({ properties: { AREA: [{ numeric: [">=", number * 10, "<", number * 10 + 25] }] } }),
  },
  {
    kind: "nested, one array element",
    rule: (number) => ({
      type: ["Feature"],
      properties: { owners: { name: [street(number)], share: [{ numeric: [">", 50] }] } },
      geometry: { type: [{ "anything-but": "Point" }] },
    }),
  },
];
