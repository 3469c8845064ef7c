// ChangeMessageVisibility: the new timeout counts from now; 0 gives the message back at once.

import { refuse } from "../../base/result.ts";
import { VISIBILITY_MS_MAX } from "../../engine/limits.ts";
import { invalidValue, missingParameter } from "../../engine/refusal.ts";
import { askOne, noOutput, operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { checkRequired } from "./required.ts";

export const changeMessageVisibility = operation("ChangeMessageVisibility", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { ReceiptHandle: receiptHandle = "", VisibilityTimeout: seconds } = input;
  const refused = checkRequired({ ReceiptHandle: receiptHandle });
  if (refused !== undefined) return refuse(refused);
  if (seconds === undefined) return refuse(missingParameter("VisibilityTimeout"));
  const visibilityTimeoutMs = seconds * 1000;
  if (visibilityTimeoutMs < 0 || visibilityTimeoutMs > VISIBILITY_MS_MAX) {
    return refuse(invalidValue(seconds, "VisibilityTimeout", "Must be between 0 and 43200."));
  }
  const entries = [{ receiptHandle, visibilityTimeoutMs }];
  return askOne({ kind: "changeVisibility", queue: queue.value, entries }, noOutput);
});
