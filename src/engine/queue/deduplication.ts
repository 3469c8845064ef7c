// FIFO deduplication: a repeat of an id within five minutes of the accepted send is answered with the first one's
// ids and adds nothing, also after the first was received and deleted (sqs.md §6.2). Entries expire in the order
// they came, since the window has one length.

import { DEDUPLICATION_WINDOW_MS } from "../limits.ts";
import type { Deduplicated } from "./deduplication-table.ts";
import type { Partition } from "./partition.ts";

/** What repeats are recognised by: the id, or with DeduplicationScope=messageGroup the id within its group. */
export function deduplicationKey(partition: Partition, groupId: string, deduplicationId: string): string {
  return partition.config.deduplicationScope === "messageGroup" ? `${groupId}\n${deduplicationId}` : deduplicationId;
}

export function findDuplicate(partition: Partition, key: string, nowMs: number): Deduplicated | undefined {
  const found = partition.deduplicated.get(key);
  return found !== undefined && found.expiresAtMs > nowMs ? found : undefined;
}

export function rememberSent(partition: Partition, key: string, messageId: string, seq: number, nowMs: number): void {
  partition.deduplicated.remember(key, { messageId, seq, expiresAtMs: nowMs + DEDUPLICATION_WINDOW_MS }, nowMs);
}
