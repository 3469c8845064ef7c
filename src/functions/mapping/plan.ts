// What a mapping's record comes to for those who poll. A batch is worked off under the plan that it was begun with,
// whatever changes meanwhile.

import type { MappingRecord } from "../../engine/command.ts";
import { compileFilter, type Filter } from "./filter.ts";
import { type LaneLimits, laneLimits } from "./lane-limits.ts";

export interface Plan {
  eventSourceArn: string;
  functionArn: string;
  batchSize: number;
  windowMs: number;
  /** Undefined: the patterns are no patterns, so nothing may be taken. */
  filter: Filter | undefined;
  reportsBatchItemFailures: boolean;
  limits: LaneLimits;
  /** The same for records that mean the same. */
  key: string;
}

export function planOf(record: MappingRecord): Plan {
  return {
    eventSourceArn: record.eventSourceArn,
    functionArn: record.functionArn,
    batchSize: record.batchSize,
    windowMs: record.batchingWindowMs,
    filter: compileFilter(record.filters),
    reportsBatchItemFailures: record.reportsBatchItemFailures,
    limits: laneLimits(record),
    key: planKey(record),
  };
}

/** State, tags and times change without a change of what is done. */
export function planKey(record: MappingRecord): string {
  const { eventSourceArn, functionArn, batchSize, batchingWindowMs, reportsBatchItemFailures, filters } = record;
  const { maximumConcurrency, provisionedPollers } = record;
  return JSON.stringify([
    ...[eventSourceArn, functionArn, batchSize, batchingWindowMs, reportsBatchItemFailures, filters],
    ...[maximumConcurrency, provisionedPollers],
  ]);
}
