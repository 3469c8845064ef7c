// The door of event source mappings at work: `new MappingPollers(...)`, `.follow(record)`. Knows nothing of AWS
// operations and keeps no record.

export type { FailureReason } from "./failure-reasons.ts";
export type { MappingPollersOptions } from "./mapping-pollers.ts";
export { MappingPollers } from "./mapping-pollers.ts";
export type { MappingReport, MappingReports } from "./mapping-report.ts";
export type { InvokeFunction, InvokeOutcome, OnReached, ReachedState } from "./ports.ts";
