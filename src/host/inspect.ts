// Looking at a queue without touching it: every message in every state, for the admin API, the command line and
// tests; and how busy it is. Nothing is received, counted or recorded.

import { DELAYED, IN_FLIGHT, sequenceNumber } from "../engine/index.ts";
import type { InspectedMessage, MessageState, QueueLoad } from "./host.ts";
import type { EnvelopeOpener } from "./open-envelope.ts";
import type { Shard } from "./shard.ts";

export async function inspectPartition(
  shard: Shard,
  id: number,
  limit: number,
  opener: EnvelopeOpener,
): Promise<InspectedMessage[]> {
  const { answer: slots } = shard.run((state) => {
    const partition = state.partitions.get(id);
    if (partition === undefined) return [];
    const { seq } = state.table;
    return [...partition.memberSlots()].sort((a, b) => seq.get(a) - seq.get(b)).slice(0, limit);
  });
  return Promise.all(slots.map((slot) => inspectMessage(shard, id, slot, opener)));
}

export function partitionLoad(shard: Shard, id: number): QueueLoad | undefined {
  const { answer } = shard.run((state) => {
    const partition = state.partitions.get(id);
    if (partition === undefined) return undefined;
    const { readyCount, inFlightCount, delayedCount, config, traffic } = partition;
    const oldest = partition.ages.top;
    return {
      atMs: state.nowMs,
      visibleCount: readyCount,
      inFlightCount,
      delayedCount,
      oldestAgeMs: oldest < 0 ? 0 : Math.max(0, state.nowMs - state.table.retainFromMs.get(oldest)),
      ...(config.fifo ? { groupCount: partition.groupIndexes.size } : {}),
      epoch: shard.epoch,
      ...traffic,
    };
  });
  return answer;
}

async function inspectMessage(
  shard: Shard,
  id: number,
  slot: number,
  opener: EnvelopeOpener,
): Promise<InspectedMessage> {
  const { state } = shard;
  const { table } = state;
  const partition = state.partition(id);
  const status = table.status.get(slot);
  const messageState: MessageState = status === DELAYED ? "delayed" : status === IN_FLIGHT ? "inFlight" : "visible";
  const row = {
    visibleAtMs: table.deadlineMs.get(slot),
    firstReceivedAtMs: table.firstReceivedAtMs.get(slot),
    receiveCount: table.receiveCount.get(slot),
    groupId: partition.groupOf(slot).id,
    seq: table.seq.get(slot),
    originArn: state.origins[table.origin.get(slot)] as string,
  };
  const { messageId, content, senderId, sentAtMs, deduplicationId } = await opener.open(await shard.readEnvelope(slot));
  return {
    messageId,
    state: messageState,
    content,
    senderId,
    sentAtMs,
    receiveCount: row.receiveCount,
    ...(messageState === "visible" ? {} : { visibleAtMs: row.visibleAtMs }),
    ...(row.firstReceivedAtMs === 0 ? {} : { firstReceivedAtMs: row.firstReceivedAtMs }),
    ...(row.groupId === "" ? {} : { groupId: row.groupId }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
    ...(partition.config.fifo ? { sequenceNumber: sequenceNumber(row.seq) } : {}),
    ...(row.originArn === "" ? {} : { deadLetterSourceArn: row.originArn }),
  };
}
