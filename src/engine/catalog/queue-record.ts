// What the catalog keeps of one queue: its name, where its partitions are, its attributes and tags. Attributes are
// kept as AWS spells them (seconds, text) because that is how they are compared and read back; what the engine
// works with is derived once, here.

import { assert } from "../../base/assert.ts";
import type { QueueAttributes, QueueKey } from "../command.ts";
import type { PartitionConfig } from "../queue/partition.ts";
import { queueArn } from "../queue-arn.ts";
import { parseRedrivePolicy } from "./redrive-policy.ts";

export interface PartitionPlace {
  partition: number;
  shard: number;
}

export interface QueueRecord {
  queue: QueueKey;
  /** At least one; every queue has exactly one today. */
  partitions: PartitionPlace[];
  /** Every settable attribute that is set, defaults included. */
  attributes: QueueAttributes;
  tags: Record<string, string>;
  createdAtMs: number;
  modifiedAtMs: number;
}

export function isFifo(record: QueueRecord): boolean {
  return record.attributes.FifoQueue === "true";
}

export function partitionConfig(record: QueueRecord): PartitionConfig {
  const { attributes } = record;
  const redrive = attributes.RedrivePolicy === undefined ? undefined : parseRedrivePolicy(attributes.RedrivePolicy);
  const config: PartitionConfig = {
    queue: record.queue,
    fifo: isFifo(record),
    delayMs: milliseconds(attributes, "DelaySeconds"),
    visibilityTimeoutMs: milliseconds(attributes, "VisibilityTimeout"),
    retentionMs: milliseconds(attributes, "MessageRetentionPeriod"),
    messageBytesMax: Number(attributes.MaximumMessageSize),
    contentBasedDeduplication: attributes.ContentBasedDeduplication === "true",
    deduplicationScope: attributes.DeduplicationScope === "messageGroup" ? "messageGroup" : "queue",
  };
  if (redrive?.ok) config.maxReceiveCount = redrive.value.maxReceiveCount;
  return config;
}

/** The queue's own long-poll time, for receives that name none. */
export function receiveWaitMs(record: QueueRecord): number {
  return milliseconds(record.attributes, "ReceiveMessageWaitTimeSeconds");
}

/** ARN of the dead-letter queue; undefined without a redrive policy. */
export function deadLetterTargetArn(record: QueueRecord): string | undefined {
  const policy = record.attributes.RedrivePolicy;
  if (policy === undefined) return undefined;
  let arn = targets.get(record);
  if (arn === undefined) {
    const parsed = parseRedrivePolicy(policy);
    if (!parsed.ok) return undefined;
    arn = parsed.value.deadLetterTargetArn;
    targets.set(record, arn);
  }
  return arn;
}

/** Every receive asks; records are replaced and never changed. */
const targets = new WeakMap<QueueRecord, string>();

/** What GetQueueAttributes can return besides the three message counts. */
export function describedAttributes(record: QueueRecord): QueueAttributes {
  return {
    ...record.attributes,
    QueueArn: queueArn(record.queue),
    CreatedTimestamp: String(Math.floor(record.createdAtMs / 1000)),
    LastModifiedTimestamp: String(Math.floor(record.modifiedAtMs / 1000)),
  };
}

function milliseconds(attributes: QueueAttributes, name: string): number {
  const seconds = attributes[name];
  assert(seconds !== undefined, () => `every queue has ${name}`);
  return Number(seconds) * 1000;
}
