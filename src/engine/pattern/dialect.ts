// What the services that take patterns allow, and how each words its refusals. One language, five dialects: the
// operators and the texts are those of fanout.md A12 and B5.

import { FILTER_POLICY_BYTES_MAX, FILTER_POLICY_COMBINATIONS_MAX, FILTER_POLICY_KEYS_MAX } from "../limits.ts";

export interface Dialect {
  operators: ReadonlySet<string>;
  /** What `anything-but` takes besides values: `{"anything-but": {"prefix": "a"}}`. */
  anythingBut: ReadonlySet<string>;
  /** Whether `prefix` and `suffix` take `{"equals-ignore-case": "a"}`. */
  ignoresCaseOfEnds: boolean;
  /** Whether fields may be inside others; attributes are flat. */
  isNested: boolean;
  limits?: PolicyLimits;
  /** A compiler's text as this service words it. */
  word: (fault: Fault, text: string) => string;
}

/** `json` is text that does not parse, `nesting` a nested pattern for flat attributes, `pattern` all the rest. */
export type Fault = "json" | "nesting" | "pattern";

export interface PolicyLimits {
  bytesMax: number;
  keysMax: number;
  combinationsMax: number;
}

const ENDS = ["prefix", "suffix", "equals-ignore-case", "wildcard"];
const SNS_OPERATORS = ["prefix", "suffix", "equals-ignore-case", "anything-but", "numeric", "exists", "cidr"];

/**
 * A subscription's filter policy on message attributes. Texts go behind `Invalid parameter: ` when attributes are set,
 * behind `Invalid parameter: Attributes Reason: ` on Subscribe.
 */
export const SNS_ATTRIBUTES: Dialect = {
  operators: new Set(SNS_OPERATORS),
  // Narrower than the bus: recorded as `Unsupported anything-but pattern: suffix`.
  anythingBut: new Set(["prefix"]),
  ignoresCaseOfEnds: false,
  isNested: false,
  limits: {
    bytesMax: FILTER_POLICY_BYTES_MAX,
    keysMax: FILTER_POLICY_KEYS_MAX,
    combinationsMax: FILTER_POLICY_COMBINATIONS_MAX,
  },
  word: (fault, text) => {
    if (fault === "nesting") return "Filter policy scope MessageAttributes does not support nested filter policy";
    return fault === "json" ? `FilterPolicy: failed to parse JSON. ${text}` : `FilterPolicy: ${text}`;
  },
};

/** A filter policy on the message body, which is nested. */
export const SNS_BODY: Dialect = { ...SNS_ATTRIBUTES, isNested: true };

/** A rule of an event bus: the whole language. */
export const EVENT_BRIDGE: Dialect = {
  operators: new Set([...SNS_OPERATORS, "wildcard"]),
  anythingBut: new Set(ENDS),
  ignoresCaseOfEnds: true,
  isNested: true,
  word: (_, text) => `Event pattern is not valid. Reason: ${text}`,
};

export const PIPES: Dialect = {
  ...EVENT_BRIDGE,
  operators: new Set(["prefix", "suffix", "equals-ignore-case", "anything-but", "numeric", "exists"]),
  anythingBut: new Set(),
};

/** Filter criteria of a Lambda event source mapping: it says that a filter is wrong, and not how. */
export const EVENT_SOURCE_MAPPING: Dialect = { ...EVENT_BRIDGE, word: () => "Invalid filter pattern definition." };
