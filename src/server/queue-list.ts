// The queues as an operator sees them, of every account and region, with their counts.

import type { QueueKey } from "../engine/command.ts";
import type { Host } from "../host/host.ts";

export interface QueueSummary extends QueueKey {
  arn: string;
  isFifo: boolean;
  visibleCount: number;
  inFlightCount: number;
  delayedCount: number;
  deadLetterTargetArn?: string;
}

export class QueueList {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async list(wanted: {
    account: string | undefined;
    region: string | undefined;
    prefix: string | undefined;
  }): Promise<QueueSummary[]> {
    const { account, region, prefix = "" } = wanted;
    const summaries: QueueSummary[] = [];
    for (const queue of this.#host.queues()) {
      if ((account ?? queue.account) !== queue.account || (region ?? queue.region) !== queue.region) continue;
      const summary = queue.name.startsWith(prefix) ? await this.#summaryOf(queue) : undefined;
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries;
  }

  /** Undefined when the queue was deleted meanwhile. */
  async #summaryOf(queue: QueueKey): Promise<QueueSummary | undefined> {
    const outcome = await this.#host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue });
    if (!outcome.ok) return undefined;
    const { attributes } = outcome.value;
    const deadLetterTargetArn = targetOf(attributes["RedrivePolicy"]);
    return {
      name: queue.name,
      account: queue.account,
      region: queue.region,
      arn: attributes["QueueArn"] ?? `arn:aws:sqs:${queue.region}:${queue.account}:${queue.name}`,
      isFifo: attributes["FifoQueue"] === "true",
      visibleCount: Number(attributes["ApproximateNumberOfMessages"] ?? 0),
      inFlightCount: Number(attributes["ApproximateNumberOfMessagesNotVisible"] ?? 0),
      delayedCount: Number(attributes["ApproximateNumberOfMessagesDelayed"] ?? 0),
      ...(deadLetterTargetArn === undefined ? {} : { deadLetterTargetArn }),
    };
  }
}

function targetOf(redrivePolicy: string | undefined): string | undefined {
  if (redrivePolicy === undefined) return undefined;
  try {
    const { deadLetterTargetArn } = JSON.parse(redrivePolicy) as { deadLetterTargetArn?: string };
    return deadLetterTargetArn;
  } catch {
    return undefined;
  }
}
