// What is posted to an endpoint is deleted when it goes out, not when the endpoint has taken it.

import { decodeCopy, IN_FLIGHT, isCopy } from "../../src/engine/index.ts";
import type { OutboundPost } from "../../src/host/outbound.ts";
import type { MillpondHost } from "../../src/host/start-host.ts";
import { deliveryQueueOf } from "../../src/host/topic-routes.ts";
import type { PlantedFault } from "./planted-fault.ts";

export const deleteBeforeTheAnswer: PlantedFault = {
  name: "delete-before-the-answer",
  needsTopics: true,
  afterStart(host) {
    const { outbound } = host.options;
    if (outbound === undefined) return;
    host.options.outbound = {
      ...outbound,
      post: (post, signal) => {
        forget(host, post);
        return outbound.post(post, signal);
      },
    };
  },
};

function forget(host: MillpondHost, { headers }: OutboundPost): void {
  const arn = headers["x-amz-sns-subscription-arn"];
  if (arn === undefined || host.catalogShard.mode !== "serving") return;
  const place = host.catalog.internalQueue(deliveryQueueOf(arn).name);
  if (place?.shard.mode !== "serving") return;
  const { shard, partition } = place;
  const { table } = shard.state;
  for (const slot of shard.state.partitions.get(partition)?.memberSlots() ?? []) {
    const envelope = shard.readEnvelope(slot);
    // Bodies on the disk are left alone.
    if (table.status.get(slot) !== IN_FLIGHT || envelope instanceof Promise || !isCopy(envelope)) continue;
    if (decodeCopy(envelope).publication.messageId !== headers["x-amz-sns-message-id"]) continue;
    const [seq, receiveSeq] = [table.seq.get(slot), table.receiveSeq.get(slot)];
    const receipts = [{ partition, slot, seq, receiveSeq, text: "" }];
    shard.perform<"deleteMessages">({ kind: "deleteMessages", partition, receipts });
  }
}
