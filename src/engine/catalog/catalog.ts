// The catalog: every queue of every account and region, kept by shard 0. It decides whether a queue exists and
// what its attributes are; the partitions of the queue follow (the host tells them, and again at every start).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { QueueKey, Scope } from "../command.ts";
import { DELETE_COOL_DOWN_MS } from "../limits.ts";
import { queueDoesNotExist, type Refusal } from "../refusal.ts";
import { isInternal } from "./internal-queue.ts";
import type { QueueRecord } from "./queue-record.ts";
import { Resources } from "./resources.ts";

export interface CatalogState {
  /** By `queueKeyText`. */
  queues: Map<string, QueueRecord>;
  /** When names were deleted, for the 60 s that AWS asks for; only while that matters. */
  deletedAtMs: Map<string, number>;
  nextPartition: number;
  /** Topics, subscriptions and whatever else has a name. */
  resources: Resources;
}

export function newCatalog(): CatalogState {
  return { queues: new Map(), deletedAtMs: new Map(), nextPartition: 1, resources: new Resources() };
}

export function resetCatalog(catalog: CatalogState): void {
  catalog.queues.clear();
  catalog.deletedAtMs.clear();
  catalog.resources.clear();
}

export function queueKeyText(queue: QueueKey): string {
  return `${queue.account}/${queue.region}/${queue.name}`;
}

export function findQueue(catalog: CatalogState, queue: QueueKey): QueueRecord | undefined {
  return catalog.queues.get(queueKeyText(queue));
}

export function requireQueue(catalog: CatalogState, queue: QueueKey): Result<QueueRecord, Refusal> {
  const record = findQueue(catalog, queue);
  return record === undefined ? refuse(queueDoesNotExist()) : accept(record);
}

/** Queues of one account and region in lexical order of name. */
export function queuesOf(catalog: CatalogState, scope: Scope): QueueRecord[] {
  const found: QueueRecord[] = [];
  for (const record of catalog.queues.values()) {
    if (record.queue.account === scope.account && record.queue.region === scope.region) found.push(record);
  }
  return found.sort((a, b) => (a.queue.name < b.queue.name ? -1 : 1));
}

export function isDeletedRecently(catalog: CatalogState, queue: QueueKey, nowMs: number): boolean {
  const deletedAtMs = catalog.deletedAtMs.get(queueKeyText(queue));
  return deletedAtMs !== undefined && nowMs - deletedAtMs < DELETE_COOL_DOWN_MS;
}

export function applyQueueRecorded(catalog: CatalogState, record: QueueRecord): void {
  catalog.queues.set(queueKeyText(record.queue), record);
  for (const { partition } of record.partitions) {
    catalog.nextPartition = Math.max(catalog.nextPartition, partition + 1);
  }
}

export function applyQueueForgotten(catalog: CatalogState, queue: QueueKey, nowMs: number): void {
  const key = queueKeyText(queue);
  catalog.queues.delete(key);
  if (isInternal(queue)) return;
  for (const [name, deletedAtMs] of catalog.deletedAtMs) {
    if (nowMs - deletedAtMs < DELETE_COOL_DOWN_MS) break;
    catalog.deletedAtMs.delete(name);
  }
  catalog.deletedAtMs.delete(key);
  catalog.deletedAtMs.set(key, nowMs);
}
