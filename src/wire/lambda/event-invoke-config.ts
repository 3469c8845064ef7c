// What becomes of asynchronous invocations: retries, the age of events, destinations.

import { refuse } from "../../base/result.ts";
import type { EventInvokeConfig } from "../../engine/command.ts";
import {
  EVENT_AGE_MS_MAX,
  EVENT_AGE_MS_MIN,
  EVENT_RETRIES_MAX,
  FUNCTION_PAGE_ITEMS_MAX,
} from "../../engine/function-limits.ts";
import type { Call } from "../protocol/call.ts";
import { refuseRange } from "./check.ts";
import { functionArn } from "./function-name.ts";
import { functionOf, type Qualified } from "./function-of.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { pageOf, slice } from "./page.ts";

interface ConfigInput {
  FunctionName?: string;
  Qualifier?: string;
  MaximumRetryAttempts?: number;
  MaximumEventAgeInSeconds?: number;
  DestinationConfig?: { OnSuccess?: { Destination?: string }; OnFailure?: { Destination?: string } };
}

export const putFunctionEventInvokeConfig = operation("PutFunctionEventInvokeConfig", (input, call) =>
  put(input, call, false),
);

export const updateFunctionEventInvokeConfig = operation("UpdateFunctionEventInvokeConfig", (input, call) =>
  put(input, call, true),
);

export const getFunctionEventInvokeConfig = operation("GetFunctionEventInvokeConfig", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  return ask({ kind: "getEventInvoke", ...named.value }, (config) => describe(named.value, config));
});

export const deleteFunctionEventInvokeConfig = operation("DeleteFunctionEventInvokeConfig", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  return named.ok ? ask({ kind: "deleteEventInvoke", ...named.value }, noOutput) : named;
});

export const listFunctionEventInvokeConfigs = operation("ListFunctionEventInvokeConfigs", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const asked = pageOf(input, FUNCTION_PAGE_ITEMS_MAX);
  if (!asked.ok) return asked;
  const { function: key } = named.value;
  return ask({ kind: "getFunction", function: key }, ({ record }) => {
    const configs = Object.entries(record.eventInvokes ?? {});
    const { page, nextMarker } = slice(configs, asked.value, ([qualifier]) => qualifier);
    return {
      FunctionEventInvokeConfigs: page.map(([qualifier, config]) => describe({ function: key, qualifier }, config)),
      NextMarker: nextMarker,
    };
  });
});

function put(input: ConfigInput, call: Call, isUpdate: boolean) {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  const { MaximumRetryAttempts: retriesMax, MaximumEventAgeInSeconds: ageSeconds, DestinationConfig: to } = input;
  const problem =
    refuseRange(retriesMax, "maximumRetryAttempts", 0, EVENT_RETRIES_MAX) ??
    refuseRange(ageSeconds, "maximumEventAgeInSeconds", EVENT_AGE_MS_MIN / 1000, EVENT_AGE_MS_MAX / 1000);
  if (problem !== undefined) return refuse(problem);
  const config: Omit<EventInvokeConfig, "modifiedAtMs"> = {};
  if (retriesMax !== undefined) config.retriesMax = retriesMax;
  if (ageSeconds !== undefined) config.eventAgeMsMax = ageSeconds * 1000;
  if (to !== undefined) {
    config.onSuccess = to.OnSuccess?.Destination ?? "";
    config.onFailure = to.OnFailure?.Destination ?? "";
  }
  return ask({ kind: "putEventInvoke", ...named.value, config, isUpdate }, (changed) => describe(named.value, changed));
}

function describe({ function: key, qualifier = "$LATEST" }: Qualified, config: EventInvokeConfig) {
  const { retriesMax, eventAgeMsMax, onSuccess, onFailure, modifiedAtMs } = config;
  return {
    LastModified: modifiedAtMs / 1000,
    FunctionArn: functionArn(key, qualifier),
    MaximumRetryAttempts: retriesMax,
    MaximumEventAgeInSeconds: eventAgeMsMax === undefined ? undefined : eventAgeMsMax / 1000,
    DestinationConfig: {
      OnSuccess: onSuccess === undefined ? {} : { Destination: onSuccess },
      OnFailure: onFailure === undefined ? {} : { Destination: onFailure },
    },
  };
}
