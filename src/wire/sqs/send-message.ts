// SendMessage: one message. What is wrong with it is the whole request's refusal.

import { refuse } from "../../base/result.ts";
import { askOne, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { readMessage, sentOutput } from "./send-entry.ts";
import { senderIdOf } from "./sender-id.ts";

export const sendMessage = operation("SendMessage", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const message = readMessage(input, call, "MessageBody");
  if (!message.ok) return refuse(message.refusal);
  const { entry } = message.value;
  return askOne(
    { kind: "sendMessages", queue: queue.value, senderId: senderIdOf(call), batch: false, entries: [entry] },
    (sent) => sentOutput(message.value, sent),
  );
});
