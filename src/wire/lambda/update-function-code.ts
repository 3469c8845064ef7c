// UpdateFunctionCode: invocations from now on run the new zip.

import { readCode } from "./create-function.ts";
import { configurationOf } from "./describe-function.ts";
import { functionOf } from "./function-of.ts";
import { ask, operation } from "./operation.ts";

export const updateFunctionCode = operation("UpdateFunctionCode", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const zip = readCode(input);
  if (!zip.ok) return zip;
  const { Publish: publish = false, DryRun: dryRun = false, RevisionId: ifRevision, Architectures } = input;
  return ask(
    {
      kind: "updateFunctionCode",
      function: named.value.function,
      zip: zip.value,
      publish,
      dryRun,
      ...(ifRevision === undefined ? {} : { ifRevision }),
      ...(Architectures?.[0] === undefined ? {} : { architecture: Architectures[0] }),
    },
    configurationOf,
  );
});
