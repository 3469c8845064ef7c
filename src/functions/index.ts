// The door of functions, for the server.

export type { FunctionCounts, FunctionLogLine } from "./runtime/index.ts";
export type { InvokeFunction, MappingListener } from "./service/index.ts";
export { FunctionService } from "./service/index.ts";
