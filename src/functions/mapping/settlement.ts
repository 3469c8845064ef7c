// What becomes of a batch's messages when the function has answered: deleted, or left to come back when their
// visibility timeout runs out. Nothing is made visible early, so a message that fails is tried again after the queue's
// own time, and the queue's redrive policy decides how often.

import type { HeldMessage } from "./batch.ts";
import { readBatchResponse } from "./batch-response.ts";
import { readFunctionError, shortened } from "./function-error.ts";
import type { InvokeOutcome } from "./ports.ts";

export interface Failure {
  /** Groups failures that are of one sort: an error type, or one of ours. */
  kind: string;
  /** For people. */
  reason: string;
}

export interface Settlement {
  succeeded: HeldMessage[];
  failed: HeldMessage[];
  /** Why, when there are failed ones. */
  failure: Failure | undefined;
  /** All of it failed, and not only what the function named. */
  isWhole: boolean;
}

export function settle(messages: HeldMessage[], outcome: InvokeOutcome, reportsItemFailures: boolean): Settlement {
  switch (outcome.is) {
    case "throttled":
      return failedWhole(messages, { kind: "Throttled", reason: `The function was throttled: ${outcome.reason}` });
    case "failed":
      return failedWhole(messages, { kind: "NotInvoked", reason: shortened(outcome.reason) });
    case "answered":
  }
  if (outcome.functionError !== undefined) {
    const { type, text } = readFunctionError(outcome.payload, outcome.functionError);
    return failedWhole(messages, { kind: type, reason: text });
  }
  if (!reportsItemFailures) return succeededWhole(messages);
  const verdict = readBatchResponse(outcome.payload, new Set(messages.map(({ id }) => id)));
  if (verdict.is === "succeeded") return succeededWhole(messages);
  if (verdict.is === "unreadable") return failedWhole(messages, { kind: "BadBatchResponse", reason: verdict.reason });
  const isFailed = ({ id }: HeldMessage) => verdict.failed.has(id);
  return {
    succeeded: messages.filter((message) => !isFailed(message)),
    failed: messages.filter(isFailed),
    failure: { kind: "BatchItemFailure", reason: "The function reported it in batchItemFailures." },
    isWhole: false,
  };
}

function succeededWhole(messages: HeldMessage[]): Settlement {
  return { succeeded: messages, failed: [], failure: undefined, isWhole: false };
}

function failedWhole(messages: HeldMessage[], failure: Failure): Settlement {
  return { succeeded: [], failed: messages, failure, isWhole: true };
}
