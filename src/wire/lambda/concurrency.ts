// Reserved concurrency: how many invocations of a function may run at once; 0 stops it.

import { refuse } from "../../base/result.ts";
import { needed, refuseRange } from "./check.ts";
import { functionOf } from "./function-of.ts";
import { answer, ask, noOutput, operation } from "./operation.ts";

const INTEGER_MAX = 2_147_483_647;
/** AWS's numbers for a new account. */
const ACCOUNT_LIMIT = {
  TotalCodeSize: 80_530_636_800,
  CodeSizeUnzipped: 262_144_000,
  CodeSizeZipped: 52_428_800,
  ConcurrentExecutions: 1000,
  UnreservedConcurrentExecutions: 1000,
};

export const putFunctionConcurrency = operation("PutFunctionConcurrency", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const reserved = needed(input.ReservedConcurrentExecutions, "reservedConcurrentExecutions");
  if (!reserved.ok) return reserved;
  const problem = refuseRange(reserved.value, "reservedConcurrentExecutions", 0, INTEGER_MAX);
  if (problem !== undefined) return refuse(problem);
  return ask(
    { kind: "reserveConcurrency", function: named.value.function, reservedConcurrency: reserved.value },
    () => ({ ReservedConcurrentExecutions: reserved.value }),
  );
});

export const getFunctionConcurrency = operation("GetFunctionConcurrency", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  return ask({ kind: "getFunction", function: named.value.function }, ({ record }) => ({
    ReservedConcurrentExecutions: record.reservedConcurrency,
  }));
});

export const deleteFunctionConcurrency = operation("DeleteFunctionConcurrency", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  return named.ok ? ask({ kind: "reserveConcurrency", function: named.value.function }, noOutput) : named;
});

export const getAccountSettings = operation("GetAccountSettings", () => answer({ AccountLimit: ACCOUNT_LIMIT }));
