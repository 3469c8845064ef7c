// Functions and their event source mappings, put together: the service tells the pollers of mappings, the pollers call
// functions through the service and tell the host what has been reached. Neither knows the other.

import { mappingArn } from "../host/index.ts";
import { type InvokeFunction, MappingPollers, type MappingReports } from "./mapping/index.ts";
import { FunctionService, type FunctionServiceOptions } from "./service/index.ts";

export interface Functions {
  readonly service: FunctionService;
  readonly mappings: MappingReports;
  /** From now on commands about functions are carried out, and queues with mappings are polled. */
  start(): void;
  /** Gives what runs `drainMs` to end. Before the host stops: batches are settled. */
  stop(drainMs: number): Promise<void>;
}

export function openFunctions(options: Omit<FunctionServiceOptions, "mappings">): Functions {
  const { host, clock, log, folder } = options;
  const pollers = new MappingPollers({
    host,
    clock,
    log,
    ...(folder === undefined ? {} : { folder }),
    invoke: (arn, payload, { signal }) => invoke(service, arn, payload, signal),
    functionTimeoutMs: (arn) => service.timeoutMs(arn),
    onReached: (record) => host.mappingFollowed(mappingArn(record)),
  });
  const service: FunctionService = new FunctionService({
    ...options,
    mappings: {
      onMappings: (records) => pollers.followAll(records),
      onMappingChanged: (record) => pollers.follow(record),
      // The pollers said themselves that nothing of it is under way any more.
      onMappingRemoved: () => undefined,
    },
  });
  return {
    service,
    mappings: pollers,
    start: () => service.start(),
    async stop(drainMs) {
      const endMs = clock.nowMs() + drainMs;
      await pollers.stop(drainMs);
      await service.stop(Math.max(0, endMs - clock.nowMs()));
    },
  };
}

async function invoke(
  service: FunctionService,
  arn: string,
  payload: Uint8Array,
  signal: AbortSignal,
): ReturnType<InvokeFunction> {
  const outcome = await service.invokeArn(arn, payload, { signal });
  switch (outcome.status) {
    case "ran": {
      const { functionError } = outcome;
      return { is: "answered", payload: outcome.payload, ...(functionError === undefined ? {} : { functionError }) };
    }
    case "throttled":
      return { is: "throttled", reason: outcome.reason };
    case "cannotRun":
      return { is: "failed", reason: outcome.message };
    case "abandoned":
    case "stopped":
      return { is: "failed", reason: "The function was stopped." };
  }
}
