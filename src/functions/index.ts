// The door of functions, for the server.

export type { InvokeFunction, MappingListener } from "./service/index.ts";
export { FunctionService } from "./service/index.ts";
