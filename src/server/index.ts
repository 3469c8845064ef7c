// The server's door, and the package's main entry: embed a whole server in a program of your own.

export type { Settings } from "../config/index.ts";
export { VERSION } from "../config/index.ts";
export type { FailureReason, MappingReport } from "../functions/index.ts";
export type { DeliveryFailure, SubscriptionReport } from "../host/index.ts";
export type { MovableClock, PeekedMessage } from "./admin-api.ts";
export type { LogLevel, LogSink } from "./log-sink.ts";
export type { PresentedFunction } from "./present-function.ts";
export type { PresentedAttribute, PresentedMessage } from "./present-message.ts";
export { presentMessage } from "./present-message.ts";
export type { QueueSummary } from "./queue-list.ts";
export type { FunctionsInView, RunningServer, ServerOptions, ServerParts } from "./server.ts";
export { startResolved, startServer } from "./server.ts";
