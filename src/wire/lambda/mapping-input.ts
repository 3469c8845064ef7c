// What CreateEventSourceMapping and UpdateEventSourceMapping take for a queue (fanout.md C2). Parameters of streams and
// Kafka are refused.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { GivenMapping } from "../../engine/command.ts";
import {
  MAPPING_BATCH_SIZE_MAX,
  MAPPING_CONCURRENCY_MAX,
  MAPPING_CONCURRENCY_MIN,
  MAPPING_FILTER_CHARACTERS_MAX,
  MAPPING_MINIMUM_POLLERS_MAX,
  MAPPING_POLLERS_DEFAULT_MAX,
  MAPPING_POLLERS_MAX,
  MAPPING_POLLERS_MIN,
  MAPPING_WINDOW_MS_MAX,
} from "../../engine/function-limits.ts";
import { constraintViolated, type Refusal, refusal } from "../../engine/refusal.ts";
import { refuseRange } from "./check.ts";

export interface MappingInput {
  BatchSize?: number;
  MaximumBatchingWindowInSeconds?: number;
  FilterCriteria?: { Filters?: { Pattern?: string }[] };
  FunctionResponseTypes?: string[];
  ScalingConfig?: { MaximumConcurrency?: number };
  ProvisionedPollerConfig?: { MinimumPollers?: number; MaximumPollers?: number };
  MetricsConfig?: { Metrics?: string[] };
  KMSKeyArn?: string;
  DestinationConfig?: { OnSuccess?: { Destination?: string }; OnFailure?: { Destination?: string } };
  StartingPosition?: string;
  ParallelizationFactor?: number;
  BisectBatchOnFunctionError?: boolean;
  MaximumRetryAttempts?: number;
  MaximumRecordAgeInSeconds?: number;
  TumblingWindowInSeconds?: number;
}

export interface MappingChoices {
  given: Partial<GivenMapping>;
  /** Settings that an empty object takes off. */
  removes: ("maximumConcurrency" | "provisionedPollers")[];
}

export function readMapping(input: MappingInput): Result<MappingChoices, Refusal> {
  const problem = refuseBounds(input) ?? refuseStreamParameters(input);
  if (problem !== undefined) return refuse(problem);
  const { ScalingConfig: scaling, ProvisionedPollerConfig: provisioned } = input;
  const given: Partial<GivenMapping> = {};
  const removes: MappingChoices["removes"] = [];
  if (input.BatchSize !== undefined) given.batchSize = input.BatchSize;
  if (input.MaximumBatchingWindowInSeconds !== undefined) {
    given.batchingWindowMs = input.MaximumBatchingWindowInSeconds * 1000;
  }
  if (input.FunctionResponseTypes !== undefined) {
    given.reportsBatchItemFailures = input.FunctionResponseTypes.includes("ReportBatchItemFailures");
  }
  if (input.FilterCriteria !== undefined) {
    given.filters = (input.FilterCriteria.Filters ?? []).map(({ Pattern = "null" }) => Pattern);
  }
  if (scaling?.MaximumConcurrency !== undefined) given.maximumConcurrency = scaling.MaximumConcurrency;
  else if (scaling !== undefined) removes.push("maximumConcurrency");
  if (provisioned !== undefined) {
    const { MinimumPollers: minimum, MaximumPollers: maximum } = provisioned;
    if (minimum === undefined && maximum === undefined) removes.push("provisionedPollers");
    else given.provisionedPollers = pollersOf(minimum, maximum);
  }
  if (input.MetricsConfig !== undefined) given.metrics = input.MetricsConfig.Metrics ?? [];
  if (input.KMSKeyArn !== undefined) given.kmsKeyArn = input.KMSKeyArn;
  return accept({ given, removes });
}

function pollersOf(minimum: number = MAPPING_POLLERS_MIN, maximum?: number): { minimum: number; maximum: number } {
  return { minimum, maximum: maximum ?? Math.max(minimum, MAPPING_POLLERS_DEFAULT_MAX) };
}

function refuseBounds(input: MappingInput): Refusal | undefined {
  const { MinimumPollers: minimum, MaximumPollers: maximum } = input.ProvisionedPollerConfig ?? {};
  const long = input.FilterCriteria?.Filters?.find(
    ({ Pattern = "" }) => Pattern.length > MAPPING_FILTER_CHARACTERS_MAX,
  );
  if (long !== undefined) {
    const constraint = `Member must have length less than or equal to ${MAPPING_FILTER_CHARACTERS_MAX}`;
    return constraintViolated(long.Pattern ?? "", "filterCriteria.filters.1.member.pattern", constraint);
  }
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    return invalid("MinimumPollers must be less than or equal to MaximumPollers.");
  }
  return (
    refuseRange(input.BatchSize, "batchSize", 1, MAPPING_BATCH_SIZE_MAX) ??
    refuseRange(
      input.MaximumBatchingWindowInSeconds,
      "maximumBatchingWindowInSeconds",
      0,
      MAPPING_WINDOW_MS_MAX / 1000,
    ) ??
    refuseRange(
      input.ScalingConfig?.MaximumConcurrency,
      "scalingConfig.maximumConcurrency",
      MAPPING_CONCURRENCY_MIN,
      MAPPING_CONCURRENCY_MAX,
    ) ??
    refuseRange(minimum, "provisionedPollerConfig.minimumPollers", MAPPING_POLLERS_MIN, MAPPING_MINIMUM_POLLERS_MAX) ??
    refuseRange(maximum, "provisionedPollerConfig.maximumPollers", MAPPING_POLLERS_MIN, MAPPING_POLLERS_MAX) ??
    refuseList(input.FunctionResponseTypes, "functionResponseTypes", ["ReportBatchItemFailures"]) ??
    refuseList(input.MetricsConfig?.Metrics, "metricsConfig.metrics", ["EventCount"])
  );
}

/** Lists of which AWS's model lets each value be there once. */
function refuseList(values: string[] = [], member: string, allowed: string[]): Refusal | undefined {
  const shown = `[${values.join(", ")}]`;
  if (values.some((value) => !allowed.includes(value))) {
    return constraintViolated(shown, member, `Member must satisfy enum value set: [${allowed.join(", ")}]`);
  }
  if (values.length <= allowed.length) return undefined;
  return constraintViolated(shown, member, `Member must have length less than or equal to ${allowed.length}`);
}

/** For streams and Kafka only. AWS's console sends destinations that name nothing. */
function refuseStreamParameters(input: MappingInput): Refusal | undefined {
  const { OnSuccess: success, OnFailure: failure } = input.DestinationConfig ?? {};
  if (success?.Destination !== undefined || failure?.Destination !== undefined) {
    return unsupported("DestinationConfig");
  }
  if (input.StartingPosition !== undefined) return unsupported("StartingPosition");
  if (input.ParallelizationFactor !== undefined) return unsupported("ParallelizationFactor");
  if (input.BisectBatchOnFunctionError !== undefined) return unsupported("BisectBatchOnFunctionError");
  if (input.MaximumRetryAttempts !== undefined) return unsupported("MaximumRetryAttempts");
  if (input.MaximumRecordAgeInSeconds !== undefined) return unsupported("MaximumRecordAgeInSeconds");
  return input.TumblingWindowInSeconds === undefined ? undefined : unsupported("TumblingWindowInSeconds");
}

function unsupported(parameter: string): Refusal {
  return invalid(`Unsupported ${parameter} parameter for given event source mapping type.`);
}

function invalid(message: string): Refusal {
  return refusal("InvalidParameterValueException", message);
}
