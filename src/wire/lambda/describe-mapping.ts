// An event source mapping as Lambda shows it (fanout.md C3).

import type { MappingRecord } from "../../engine/command.ts";

export function describeMapping(mapping: MappingRecord) {
  const { uuid, account, region, filters, maximumConcurrency, provisionedPollers, metrics } = mapping;
  return {
    UUID: uuid,
    EventSourceMappingArn: `arn:aws:lambda:${region}:${account}:event-source-mapping:${uuid}`,
    EventSourceArn: mapping.eventSourceArn,
    FunctionArn: mapping.functionArn,
    BatchSize: mapping.batchSize,
    MaximumBatchingWindowInSeconds: mapping.batchingWindowMs / 1000,
    FunctionResponseTypes: mapping.reportsBatchItemFailures ? ["ReportBatchItemFailures"] : [],
    FilterCriteria: filters.length === 0 ? undefined : { Filters: filters.map((Pattern) => ({ Pattern })) },
    ScalingConfig: maximumConcurrency === undefined ? undefined : { MaximumConcurrency: maximumConcurrency },
    ProvisionedPollerConfig:
      provisionedPollers === undefined
        ? undefined
        : { MinimumPollers: provisionedPollers.minimum, MaximumPollers: provisionedPollers.maximum },
    MetricsConfig: metrics === undefined ? undefined : { Metrics: metrics },
    KMSKeyArn: mapping.kmsKeyArn,
    LastModified: mapping.modifiedAtMs / 1000,
    State: mapping.state,
    StateTransitionReason: "USER_INITIATED",
  };
}
