// Internal queues: what must happen later is a message in one of these (a delivery to an HTTP subscriber, an
// asynchronous call, a topic's own bookkeeping), so delay, retry, counts, order and durability are the queue engine's.
// They are queue records like any other, in an account that no caller can have, so that nobody lists or addresses them.

import type { QueueAttributes, QueueKey } from "../command.ts";
import type { Recorder, ShardState } from "../state.ts";
import { findQueue } from "./catalog.ts";
import { defaultAttributes } from "./queue-attributes.ts";
import type { QueueRecord } from "./queue-record.ts";

/** Accounts of callers have 12 digits. */
export const INTERNAL_ACCOUNT = "internal";

export interface InternalQueueSpec {
  /** Unique among internal queues; by convention `service/purpose/ARN`. */
  name: string;
  fifo?: boolean;
  /** Over the defaults of a queue, as SQS spells them; values beyond what SQS allows are fine here. */
  attributes?: QueueAttributes;
  /** Which shard it is on; absent: spread like other queues. */
  shard?: number;
}

export function internalQueueKey(name: string): QueueKey {
  return { account: INTERNAL_ACCOUNT, region: INTERNAL_ACCOUNT, name };
}

export function isInternal(queue: QueueKey): boolean {
  return queue.account === INTERNAL_ACCOUNT;
}

/** Has the queue every attribute that is asked for? */
export function isAsSpecified({ attributes }: QueueRecord, spec: InternalQueueSpec): boolean {
  for (const name in spec.attributes) if (attributes[name] !== spec.attributes[name]) return false;
  return true;
}

/** Makes the queue, or gives the one that is there its attributes. */
export function openInternalQueue(
  state: ShardState,
  spec: InternalQueueSpec,
  shardCount: number,
  record: Recorder,
): QueueRecord {
  const queue = internalQueueKey(spec.name);
  const existing = findQueue(state.catalog, queue);
  const attributes = { ...defaultAttributes(spec.fifo ?? false), ...spec.attributes };
  if (existing !== undefined && isAsSpecified(existing, spec)) return existing;
  const partition = state.catalog.nextPartition;
  const opened: QueueRecord =
    existing === undefined
      ? {
          queue,
          partitions: [{ partition, shard: spec.shard ?? partition % shardCount }],
          attributes,
          tags: {},
          createdAtMs: state.nowMs,
          modifiedAtMs: state.nowMs,
        }
      : { ...existing, attributes, modifiedAtMs: state.nowMs };
  record({ kind: "QueueRecorded", record: opened });
  return opened;
}

/** Forgets the queue with everything in it; undefined when there is none. */
export function closeInternalQueue(state: ShardState, name: string, record: Recorder): QueueRecord | undefined {
  const existing = findQueue(state.catalog, internalQueueKey(name));
  if (existing !== undefined) record({ kind: "QueueForgotten", queue: existing.queue });
  return existing;
}
