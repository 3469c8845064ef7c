// The door of functions, for the server.

export type { FailureReason, MappingReport, MappingReports } from "./mapping/index.ts";
export type { Functions } from "./open-functions.ts";
export { openFunctions } from "./open-functions.ts";
export type { FunctionCounts, FunctionLogLine } from "./runtime/index.ts";
export type { InvokeFunction, MappingListener } from "./service/index.ts";
export { FunctionService } from "./service/index.ts";
