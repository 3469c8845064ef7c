// ChangeMessageVisibilityBatch: up to ten handles with their timeouts, each on its own. AWS words two of its texts
// differently here than in the other batches and in the single call.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import { VISIBILITY_MS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidValue, missingParameter } from "../../engine/refusal.ts";
import { checkBatch, planBatch } from "./batch.ts";
import { operation } from "./operation.ts";
import { queueOf } from "./queue-address.ts";
import { isMissing } from "./required.ts";

interface Change {
  receiptHandle: string;
  visibilityTimeoutMs: number;
}

const ENTRY = "ChangeMessageVisibilityBatchRequestEntry";
const EMPTY_NAME = "ChangeMessageVisibilityBatch";
const RANGE_REASON = "VisibilityTimeout must be an integer between 0 and 43200.";

export const changeMessageVisibilityBatch = operation("ChangeMessageVisibilityBatch", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const { Entries: entries = [] } = input;
  const badBatch = checkBatch(entries, ENTRY, EMPTY_NAME);
  if (badBatch !== undefined) return refuse(badBatch);
  const items = entries.map(({ Id: id = "", ReceiptHandle, VisibilityTimeout }, index) => ({
    id,
    read: readChange(ReceiptHandle, VisibilityTimeout, `${ENTRY}.${index + 1}`),
  }));
  return planBatch(
    queue.value,
    items,
    (changes) => ({ kind: "changeVisibility", queue: queue.value, entries: changes }),
    (id) => ({ Id: id }),
  );
});

function readChange(
  receiptHandle: string | undefined,
  seconds: number | undefined,
  place: string,
): Result<Change, Refusal> {
  if (isMissing(receiptHandle)) return refuse(missingParameter(`${place}.ReceiptHandle`));
  if (seconds === undefined) return refuse(missingParameter(`${place}.VisibilityTimeout`));
  const visibilityTimeoutMs = seconds * 1000;
  if (visibilityTimeoutMs < 0 || visibilityTimeoutMs > VISIBILITY_MS_MAX) {
    return refuse(invalidValue(seconds, "VisibilityTimeout", RANGE_REASON));
  }
  return accept({ receiptHandle, visibilityTimeoutMs });
}
