// CreateQueue, SetQueueAttributes and DeleteQueue. Creating a queue that exists with the attributes asked for
// answers with it; only the attributes that were passed are compared (sqs.md §3.3).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { CommandOf, QueueAttributes, QueueKey } from "../command.ts";
import { QUEUE_NAME_CHARACTERS_MAX } from "../limits.ts";
import { parseQueueArn, queueArn } from "../queue-arn.ts";
import { invalidParameter, missingParameter, type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import { type CatalogState, findQueue, isDeletedRecently, requireQueue } from "./catalog.ts";
import {
  asksForFifo,
  defaultAttributes,
  differingAttribute,
  invalidAttributeValue,
  mergeAttributes,
  readAttributes,
} from "./queue-attributes.ts";
import { isFifo, type QueueRecord } from "./queue-record.ts";
import { allowsSource, invalidRedrivePolicy, parseRedriveAllowPolicy, parseRedrivePolicy } from "./redrive-policy.ts";
import { refuseTags } from "./tags.ts";

const FIFO_SUFFIX = ".fifo";

/** `shardCount`: over how many shards new queues spread. */
export function decideCreateQueue(
  state: ShardState,
  command: CommandOf<"createQueue"> & { shardCount: number },
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const { catalog } = state;
  const { queue, tags } = command;
  const fifo = asksForFifo(command.attributes);
  const problem = refuseName(queue.name, fifo) ?? refuseTags(queue.name, tags, {});
  if (problem !== undefined) return refuse(problem);
  const given = readAttributes(command.attributes, fifo);
  if (!given.ok) return given;
  const existing = findQueue(catalog, queue);
  if (existing !== undefined) return sameQueue(existing, given.value, tags);
  if (state.settings.awsDelays && isDeletedRecently(catalog, queue, state.nowMs)) {
    return refuse(
      refusal(
        "QueueDeletedRecently",
        "You must wait 60 seconds after deleting a queue before you can create another with the same name.",
      ),
    );
  }
  const attributes = mergeAttributes(defaultAttributes(fifo), given.value);
  if (!attributes.ok) return attributes;
  const redriveProblem = refuseRedriveTarget(catalog, queue, fifo, given.value);
  if (redriveProblem !== undefined) return refuse(redriveProblem);
  const partition = catalog.nextPartition;
  const created: QueueRecord = {
    queue,
    partitions: [{ partition, shard: partition % command.shardCount }],
    attributes: attributes.value,
    tags,
    createdAtMs: state.nowMs,
    modifiedAtMs: state.nowMs,
  };
  record({ kind: "QueueRecorded", record: created });
  return accept(created);
}

export function decideSetQueueAttributes(
  state: ShardState,
  command: CommandOf<"setQueueAttributes">,
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const found = requireQueue(state.catalog, command.queue);
  if (!found.ok) return found;
  const current = found.value;
  const fifo = isFifo(current);
  if (Object.keys(command.attributes).length === 0) return refuse(missingParameter("Attribute.Name"));
  const given = readAttributes(command.attributes, fifo);
  if (!given.ok) return given;
  if (given.value.FifoQueue === "false") {
    return refuse(invalidAttributeValue("FifoQueue", "Modifying queue type is not supported."));
  }
  const attributes = mergeAttributes(current.attributes, given.value);
  if (!attributes.ok) return attributes;
  const problem = refuseRedriveTarget(state.catalog, command.queue, fifo, given.value);
  if (problem !== undefined) return refuse(problem);
  const changed = { ...current, attributes: attributes.value, modifiedAtMs: state.nowMs };
  record({ kind: "QueueRecorded", record: changed });
  return accept(changed);
}

export function decideDeleteQueue(
  state: ShardState,
  command: CommandOf<"deleteQueue">,
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const found = requireQueue(state.catalog, command.queue);
  if (found.ok) record({ kind: "QueueForgotten", queue: command.queue });
  return found;
}

function refuseName(name: string, fifo: boolean): Refusal | undefined {
  const stem = fifo && name.endsWith(FIFO_SUFFIX) ? name.slice(0, -FIFO_SUFFIX.length) : name;
  const isWellFormed = /^[A-Za-z0-9_-]+$/.test(stem) && name.length <= QUEUE_NAME_CHARACTERS_MAX;
  if (fifo) {
    if (isWellFormed && stem !== name) return undefined;
    return invalidParameter(
      "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.",
    );
  }
  if (isWellFormed) return undefined;
  return invalidParameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length");
}

function sameQueue(
  existing: QueueRecord,
  given: QueueAttributes,
  tags: Record<string, string>,
): Result<QueueRecord, Refusal> {
  const differing = differingAttribute(given, existing.attributes);
  if (differing !== undefined) return refuse(nameExists(`attribute ${differing}`));
  const tagDiffers = Object.entries(tags).some(([key, value]) => existing.tags[key] !== value);
  return tagDiffers ? refuse(nameExists("tags")) : accept(existing);
}

function nameExists(what: string): Refusal {
  return refusal("QueueNameExists", `A queue already exists with the same name and a different value for ${what}`);
}

/** The dead-letter queue must exist, be of the same kind, and allow this source. */
function refuseRedriveTarget(
  catalog: CatalogState,
  queue: QueueKey,
  fifo: boolean,
  given: QueueAttributes,
): Refusal | undefined {
  const text = given.RedrivePolicy;
  if (!text) return undefined;
  const policy = parseRedrivePolicy(text);
  if (!policy.ok) return policy.refusal;
  const arn = parseQueueArn(policy.value.deadLetterTargetArn);
  const target = arn.is === "queue" ? findQueue(catalog, arn.queue) : undefined;
  if (target === undefined) return invalidRedrivePolicy(text, "Dead letter target does not exist.");
  if (isFifo(target) !== fifo) {
    return invalidRedrivePolicy(text, "Dead-letter queue must be same type of queue as the source.");
  }
  const allowText = target.attributes.RedriveAllowPolicy;
  const allow = allowText === undefined ? undefined : parseRedriveAllowPolicy(allowText);
  if (allow?.ok && !allowsSource(allow.value, queueArn(queue))) {
    return invalidRedrivePolicy(text, "The dead-letter queue's redrive allow policy does not allow this source queue.");
  }
  return undefined;
}
