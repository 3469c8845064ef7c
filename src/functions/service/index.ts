// The door of the function service: functions as the catalog has them, running.

export type { FunctionServiceOptions, InvokeFunction, MappingListener } from "./function-service.ts";
export { FunctionService } from "./function-service.ts";
