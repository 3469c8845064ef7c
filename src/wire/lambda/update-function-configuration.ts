// UpdateFunctionConfiguration: only what is given changes.

import { configurationOf } from "./describe-function.ts";
import { functionOf } from "./function-of.ts";
import { readSettings } from "./function-settings.ts";
import { ask, operation } from "./operation.ts";

export const updateFunctionConfiguration = operation("UpdateFunctionConfiguration", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const changes = readSettings(input);
  if (!changes.ok) return changes;
  const ifRevision = input.RevisionId === undefined ? {} : { ifRevision: input.RevisionId };
  return ask(
    { kind: "updateFunctionSettings", function: named.value.function, changes: changes.value, ...ifRevision },
    configurationOf,
  );
});
