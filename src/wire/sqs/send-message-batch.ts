// SendMessageBatch: up to ten messages, at most 1 MiB together whatever the queue's own limit is. A bad message
// fails alone (case C022); too much in all fails everything.

import { refuse } from "../../base/result.ts";
import type { SentMessage } from "../../engine/command.ts";
import { BATCH_BYTES_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import type { BatchItem } from "./batch.ts";
import { checkBatch, planBatch } from "./batch.ts";
import { operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import type { MessageInput, OutgoingMessage } from "./send-entry.ts";
import { readMessage, sentOutput } from "./send-entry.ts";
import { senderIdOf } from "./sender-id.ts";

const ENTRY = "SendMessageBatchRequestEntry";

export const sendMessageBatch = operation("SendMessageBatch", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Entries: entries = [] } = input;
  const badBatch = checkBatch(entries, ENTRY);
  if (badBatch !== undefined) return refuse(badBatch);
  const items = entries.map((entry, index) => ({
    id: entry.Id ?? "",
    read: readMessage(entry, call, `${ENTRY}.${index + 1}.MessageBody`),
  }));
  const tooLong = checkTotal(items, entries);
  if (tooLong !== undefined) return refuse(tooLong);
  return planBatch(
    queue.value,
    items,
    (messages) => ({
      kind: "sendMessages",
      queue: queue.value,
      senderId: senderIdOf(call),
      batch: true,
      entries: messages.map(({ entry }) => entry),
    }),
    (id, message, sent: SentMessage) => ({ Id: id, ...sentOutput(message, sent) }),
  );
});

/** Entries that fail for another reason still count, by their body. */
function checkTotal(items: BatchItem<OutgoingMessage>[], inputs: MessageInput[]): Refusal | undefined {
  let bytes = 0;
  for (let index = 0; index < items.length; index++) {
    const { read } = items[index] as BatchItem<OutgoingMessage>;
    bytes += read.ok ? read.value.entry.sizeBytes : Buffer.byteLength(inputs[index]?.MessageBody ?? "");
  }
  if (bytes <= BATCH_BYTES_MAX) return undefined;
  const limit = `Batch requests cannot be longer than ${BATCH_BYTES_MAX} bytes.`;
  return refusal("BatchRequestTooLong", `${limit} You have sent ${bytes} bytes.`);
}
