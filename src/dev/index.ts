// The door of `millpond dev`.

export { findConfig } from "./load-project.ts";
export type { Change } from "./reconcile.ts";
export type { DevOptions, DevReporter } from "./run-dev.ts";
export { runDev } from "./run-dev.ts";
export type { FunctionStatus, QueueStatus, Status } from "./status.ts";
