// DeleteMessageBatch: up to ten receipt handles, each on its own.

import { accept, refuse } from "../../base/result.ts";
import { missingParameter } from "../../engine/refusal.ts";
import { checkBatch, planBatch } from "./batch.ts";
import { operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { isMissing } from "./required.ts";

const ENTRY = "DeleteMessageBatchRequestEntry";

export const deleteMessageBatch = operation("DeleteMessageBatch", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Entries: entries = [] } = input;
  const badBatch = checkBatch(entries, ENTRY);
  if (badBatch !== undefined) return refuse(badBatch);
  const items = entries.map(({ Id: id = "", ReceiptHandle: handle }, index) => ({
    id,
    read: isMissing(handle) ? refuse(missingParameter(`${ENTRY}.${index + 1}.ReceiptHandle`)) : accept(handle),
  }));
  return planBatch(
    queue.value,
    items,
    (receiptHandles) => ({ kind: "deleteMessages", queue: queue.value, receiptHandles }),
    (id) => ({ Id: id }),
  );
});
