// DeleteMessage: by receipt handle, which only the engine can read.

import { refuse } from "../../base/result.ts";
import { askOne, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequired } from "./required.ts";

export const deleteMessage = operation("DeleteMessage", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { ReceiptHandle: handle = "" } = input;
  const refused = checkRequired({ ReceiptHandle: handle });
  if (refused !== undefined) return refuse(refused);
  return askOne({ kind: "deleteMessages", queue: queue.value, receiptHandles: [handle] }, noOutput);
});
