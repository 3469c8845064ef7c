// Pages of queue URLs: what ListQueues and ListDeadLetterSourceQueues have in common.

import type { QueueKey } from "../../engine/command.ts";
import { LIST_RESULTS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidParameter } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import { queueUrlOf } from "./queue-address.ts";

interface PageInput {
  MaxResults?: number;
  NextToken?: string;
}

export function checkPage({ MaxResults }: PageInput): Refusal | undefined {
  if (MaxResults === undefined || (MaxResults >= 1 && MaxResults <= LIST_RESULTS_MAX)) return undefined;
  return invalidParameter(
    "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.",
  );
}

export function pageOf({ MaxResults, NextToken }: PageInput): { resultsMax?: number; nextToken?: string } {
  return {
    ...(MaxResults === undefined ? {} : { resultsMax: MaxResults }),
    ...(NextToken === undefined || NextToken === "" ? {} : { nextToken: NextToken }),
  };
}

export function urlsOf(queues: readonly QueueKey[], call: Call): string[] {
  return queues.map((queue) => queueUrlOf(queue, call));
}
