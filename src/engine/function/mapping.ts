// Event source mappings: created, changed, deleted. A change is recorded with a transitional state, which lasts until
// the pollers have followed (decideMappingFollowed). Checks and texts: fanout.md C2 and C3.

import { accept, type Result, refuse } from "../../base/result.ts";
import { type CatalogState, findQueue } from "../catalog/catalog.ts";
import type { QueueRecord } from "../catalog/queue-record.ts";
import type { Scope } from "../command.ts";
import {
  MAPPING_BATCH_SIZE_DEFAULT,
  MAPPING_BATCH_SIZE_WITHOUT_WINDOW_MAX,
  MAPPING_FIFO_BATCH_SIZE_MAX,
  MAPPING_FILTERS_MAX,
} from "../function-limits.ts";
import { compilePattern } from "../pattern/compile.ts";
import { EVENT_SOURCE_MAPPING } from "../pattern/dialect.ts";
import { parseQueueArn } from "../queue-arn.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { FunctionCommand, GivenMapping } from "./function-command.ts";
import { type FunctionKey, functionArn, versionOf } from "./function-record.ts";
import { conflict, invalidParameter, notFound } from "./function-refusals.ts";
import { refuseTags } from "./function-tags.ts";
import { type MappingRecord, type MappingState, mappingArn, settledMappingState } from "./mapping-record.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

export function decideCreateMapping(
  state: ShardState,
  command: CommandOf<"createMapping"> & { uuid: string },
  record: Recorder,
): Result<MappingRecord, Refusal> {
  const { scope, uuid, eventSourceArn, functionArn: arn, isOn, given, tags } = command;
  const created: MappingRecord = {
    uuid,
    account: scope.account,
    region: scope.region,
    eventSourceArn,
    functionArn: arn,
    state: isOn ? "Creating" : "Disabled",
    batchSize: MAPPING_BATCH_SIZE_DEFAULT,
    batchingWindowMs: 0,
    reportsBatchItemFailures: false,
    filters: [],
    ...given,
    tags,
    createdAtMs: state.nowMs,
    modifiedAtMs: state.nowMs,
  };
  const problem =
    refuseMapping(state.catalog, created, command.function, command.qualifier) ??
    refuseTags(tags, {}) ??
    refuseDuplicate(state.catalog, created, command.function);
  return problem === undefined ? accept(recordMapping(created, record)) : refuse(problem);
}

export function decideUpdateMapping(
  state: ShardState,
  command: CommandOf<"updateMapping">,
  record: Recorder,
): Result<MappingRecord, Refusal> {
  const found = requireMapping(state.catalog, command.scope, command.uuid);
  if (!found.ok) return found;
  if (found.value.state !== "Enabled" && found.value.state !== "Disabled") {
    return refuse(inUse("update"));
  }
  const kept: MappingRecord = { ...found.value };
  for (const name of command.removes) delete kept[name];
  const changed: MappingRecord = {
    ...kept,
    ...command.given,
    functionArn: command.function?.arn ?? kept.functionArn,
    state: nextState(kept.state, command.isOn ?? kept.state === "Enabled"),
    modifiedAtMs: state.nowMs,
  };
  // Whoever only stops a mapping need not put right what is wrong with it.
  const isStopped = command.isOn === false && command.function === undefined && isEmpty(command.given);
  if (isStopped) return accept(recordMapping(changed, record));
  const named = command.function ?? functionOf(changed);
  const problem =
    refuseMapping(state.catalog, changed, named.key, named.qualifier) ??
    refuseDuplicate(state.catalog, changed, named.key);
  return problem === undefined ? accept(recordMapping(changed, record)) : refuse(problem);
}

export function decideDeleteMapping(
  state: ShardState,
  { scope, uuid }: CommandOf<"deleteMapping">,
  record: Recorder,
): Result<MappingRecord, Refusal> {
  const found = requireMapping(state.catalog, scope, uuid);
  if (!found.ok) return found;
  if (found.value.state !== "Enabled" && found.value.state !== "Disabled") return refuse(inUse("delete"));
  return accept(recordMapping({ ...found.value, state: "Deleting", modifiedAtMs: state.nowMs }, record));
}

/** The pollers do as the mapping says: its transitional state ends. Undefined when there is nothing to end. */
export function decideMappingFollowed(state: ShardState, arn: string, record: Recorder): MappingRecord | undefined {
  const found = state.catalog.resources.get("mapping", arn);
  if (found === undefined) return undefined;
  const settled = settledMappingState(found.state);
  if (settled === found.state) return undefined;
  if (settled !== undefined) return recordMapping({ ...found, state: settled }, record);
  record({ kind: "ResourceForgotten", type: "mapping", key: arn });
  return found;
}

export function decideTagMapping(
  state: ShardState,
  { scope, uuid, tags }: CommandOf<"tagMapping">,
  record: Recorder,
): Result<MappingRecord, Refusal> {
  const found = requireMapping(state.catalog, scope, uuid);
  if (!found.ok) return found;
  const problem = refuseTags(tags, found.value.tags);
  if (problem !== undefined) return refuse(problem);
  return accept(recordMapping({ ...found.value, tags: { ...found.value.tags, ...tags } }, record));
}

export function decideUntagMapping(
  state: ShardState,
  { scope, uuid, tagKeys }: CommandOf<"untagMapping">,
  record: Recorder,
): Result<MappingRecord, Refusal> {
  const found = requireMapping(state.catalog, scope, uuid);
  if (!found.ok) return found;
  const kept = Object.entries(found.value.tags).filter(([key]) => !tagKeys.includes(key));
  return accept(recordMapping({ ...found.value, tags: Object.fromEntries(kept) }, record));
}

export function requireMapping(catalog: CatalogState, scope: Scope, uuid: string): Result<MappingRecord, Refusal> {
  const record = catalog.resources.get("mapping", mappingArn({ ...scope, uuid }));
  return record === undefined ? refuse(notFound("The resource you requested does not exist.")) : accept(record);
}

/** In the order of their ids, from behind `marker` on. */
export function listMappings(
  state: ShardState,
  { scope, eventSourceArn, functionArn: arn, marker = "", itemsMax }: CommandOf<"listMappings">,
): Result<{ mappings: MappingRecord[]; nextMarker?: string }, Refusal> {
  const found: MappingRecord[] = [];
  for (const record of state.catalog.resources.values("mapping")) {
    if (record.account !== scope.account || record.region !== scope.region || record.uuid <= marker) continue;
    if (eventSourceArn !== undefined && record.eventSourceArn !== eventSourceArn) continue;
    if (arn === undefined || isMappingOf(record, arn)) found.push(record);
  }
  found.sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  const mappings = found.slice(0, itemsMax);
  const last = mappings.at(-1);
  return accept(found.length > mappings.length && last ? { mappings, nextMarker: last.uuid } : { mappings });
}

/** Asked for without a qualifier, those with one are the function's, too. */
function isMappingOf(record: MappingRecord, arn: string): boolean {
  return record.functionArn === arn || record.functionArn.startsWith(`${arn}:`);
}

function nextState(current: MappingState, isOn: boolean): MappingState {
  const wasOn = current === "Enabled";
  if (isOn) return wasOn ? "Updating" : "Enabling";
  return wasOn ? "Disabling" : "Disabled";
}

function refuseMapping(
  catalog: CatalogState,
  mapping: MappingRecord,
  key: FunctionKey,
  qualifier: string | undefined,
): Refusal | undefined {
  const source = parseQueueArn(mapping.eventSourceArn);
  if (source.is !== "queue") return invalidParameter("Unrecognized event source.");
  const isFifo = source.queue.name.endsWith(".fifo");
  const badBatch = refuseBatching(mapping, isFifo) ?? refuseFilters(mapping.filters);
  if (badBatch !== undefined) return badBatch;
  if (mapping.maximumConcurrency !== undefined && mapping.provisionedPollers !== undefined) {
    return invalidParameter("MaximumConcurrency and ProvisionedPollerConfig can not be specified together.");
  }
  const record = catalog.resources.get("function", functionArn(key));
  const version = record === undefined ? undefined : versionOf(record, qualifier);
  if (version === undefined) return invalidParameter("Function does not exist");
  const queue = findQueue(catalog, source.queue);
  if (queue === undefined) return noQueue();
  return refuseVisibility(queue, version.timeoutMs);
}

function refuseBatching(
  given: Pick<GivenMapping, "batchSize" | "batchingWindowMs">,
  isFifo: boolean,
): Refusal | undefined {
  const { batchSize, batchingWindowMs } = given;
  if (isFifo && batchingWindowMs > 0) return invalidParameter("Batching window is not supported for FIFO queues");
  if (isFifo && batchSize > MAPPING_FIFO_BATCH_SIZE_MAX) {
    return invalidParameter(`Maximum batch size for FIFO queues is ${MAPPING_FIFO_BATCH_SIZE_MAX}`);
  }
  if (batchSize <= MAPPING_BATCH_SIZE_WITHOUT_WINDOW_MAX || batchingWindowMs > 0) return undefined;
  return invalidParameter(
    "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
  );
}

function refuseFilters(filters: string[]): Refusal | undefined {
  if (filters.length > MAPPING_FILTERS_MAX) {
    return invalidParameter(`Filters can not be more than ${MAPPING_FILTERS_MAX}.`);
  }
  for (const filter of filters) {
    const compiled = compilePattern(filter, EVENT_SOURCE_MAPPING);
    if (!compiled.ok) return invalidParameter(compiled.refusal.message);
  }
  return undefined;
}

function refuseVisibility(queue: QueueRecord, timeoutMs: number): Refusal | undefined {
  const visibilitySeconds = Number(queue.attributes.VisibilityTimeout);
  const timeoutSeconds = timeoutMs / 1000;
  if (visibilitySeconds >= timeoutSeconds) return undefined;
  return invalidParameter(
    `Queue visibility timeout: ${visibilitySeconds} seconds is less than Function timeout: ${timeoutSeconds} seconds`,
  );
}

function refuseDuplicate(catalog: CatalogState, mapping: MappingRecord, { name }: FunctionKey): Refusal | undefined {
  for (const other of catalog.resources.values("mapping")) {
    const isSame = other.eventSourceArn === mapping.eventSourceArn && other.functionArn === mapping.functionArn;
    if (!isSame || other.uuid === mapping.uuid) continue;
    return conflict(
      `An event source mapping with SQS arn (" ${mapping.eventSourceArn} ") and function (" ${name} ") already exists. ` +
        `Please update or delete the existing mapping with UUID ${other.uuid}`,
    );
  }
  return undefined;
}

function noQueue(): Refusal {
  return invalidParameter(
    "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. " +
      "SQS Error Message: The specified queue does not exist.",
  );
}

function isEmpty(given: object): boolean {
  return Object.keys(given).length === 0;
}

function inUse(verb: "update" | "delete"): Refusal {
  return refusal("ResourceInUseException", `Cannot ${verb} the event source mapping because it is in use.`);
}

function functionOf({ functionArn: arn }: MappingRecord): { key: FunctionKey; qualifier?: string } {
  const [, , , region = "", account = "", , name = "", qualifier] = arn.split(":");
  const key = { region, account, name };
  return qualifier === undefined ? { key } : { key, qualifier };
}

function recordMapping(mapping: MappingRecord, record: Recorder): MappingRecord {
  record({ kind: "ResourceRecorded", entry: { type: "mapping", key: mappingArn(mapping), record: mapping } });
  return mapping;
}
