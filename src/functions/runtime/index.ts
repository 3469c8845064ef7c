// The door of running functions: `new FunctionRuntime(...)`, `.start(spec)`, `.invoke(payload, ...)`. Knows nothing of
// AWS operations, of where functions are recorded, or of event sources.

export type { UnpackedCode, UnpackProblem } from "./code-store.ts";
export { CodeStore } from "./code-store.ts";
export type { FunctionRuntimeOptions } from "./function-runtime.ts";
export { FunctionRuntime } from "./function-runtime.ts";
export type {
  FunctionCode,
  FunctionCounts,
  FunctionLogLine,
  FunctionSpec,
  InvokeOptions,
  InvokeOutcome,
  InvokeResult,
  RunningFunction,
  ThrottleReason,
} from "./function-spec.ts";
export type { FunctionSurroundings } from "./process-environment.ts";
