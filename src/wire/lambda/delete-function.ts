// DeleteFunction: the function with its versions, or one version. Its event source mappings stay.

import { functionOf } from "./function-of.ts";
import { ask, operation } from "./operation.ts";

export const deleteFunction = operation("DeleteFunction", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  return named.ok ? ask({ kind: "deleteFunction", ...named.value }, () => ({ StatusCode: 204 })) : named;
});
