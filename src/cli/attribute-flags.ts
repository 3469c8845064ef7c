// Message attributes as they are typed: `--attribute K=V`, `--attribute K:Number=V`.

import type { Call } from "./command.ts";
import { usageError } from "./exit-codes.ts";

/** Undefined when none were given. */
export function attributesOf(call: Call): Record<string, { DataType: string; StringValue: string }> | undefined {
  const pairs = call.flags["attribute"];
  if (!Array.isArray(pairs)) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const match = /^([^=:]+)(?::([^=]+))?=(.*)$/s.exec(pair);
      if (match === null) throw usageError(`--attribute is "${pair}", which is not NAME=VALUE or NAME:TYPE=VALUE.`);
      const [, name = "", DataType = "String", StringValue = ""] = match;
      return [name, { DataType, StringValue }];
    }),
  );
}
