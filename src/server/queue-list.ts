// The queues as an operator sees them, with their counts. The engine lists one account and region at a time, so this
// list covers the scopes that were asked about since the start, the default one, and any that the caller names.

import type { QueueKey, Scope } from "../engine/command.ts";
import type { Host } from "../host/host.ts";

export interface QueueSummary extends QueueKey {
  arn: string;
  isFifo: boolean;
  visibleCount: number;
  inFlightCount: number;
  delayedCount: number;
  deadLetterTargetArn?: string;
}

/** A hostile client must not grow the memory of scopes without end. */
const SCOPES_REMEMBERED_MAX = 1000;

export class QueueList {
  readonly #host: Host;
  readonly #scopes = new Map<string, Scope>();

  constructor(host: Host, standard: Scope) {
    this.#host = host;
    this.noteScope(standard);
  }

  noteScope({ account, region }: Scope): void {
    const id = `${account} ${region}`;
    if (this.#scopes.has(id) || this.#scopes.size >= SCOPES_REMEMBERED_MAX) return;
    this.#scopes.set(id, { account, region });
  }

  async list(wanted: {
    account: string | undefined;
    region: string | undefined;
    prefix: string | undefined;
  }): Promise<QueueSummary[]> {
    const { account, region, prefix } = wanted;
    if (account !== undefined && region !== undefined) this.noteScope({ account, region });
    const summaries: QueueSummary[] = [];
    for (const scope of this.#scopes.values()) {
      if ((account ?? scope.account) !== scope.account || (region ?? scope.region) !== scope.region) continue;
      for await (const queue of this.#queuesOf(scope, prefix)) {
        const summary = await this.#summaryOf(queue);
        if (summary !== undefined) summaries.push(summary);
      }
    }
    return summaries;
  }

  async *#queuesOf(scope: Scope, prefix: string | undefined): AsyncGenerator<QueueKey> {
    let nextToken: string | undefined;
    do {
      const outcome = await this.#host.execute<"listQueues">({
        kind: "listQueues",
        scope,
        resultsMax: 1000,
        ...(prefix === undefined ? {} : { prefix }),
        ...(nextToken === undefined ? {} : { nextToken }),
      });
      if (!outcome.ok) return;
      yield* outcome.value.queues;
      nextToken = outcome.value.nextToken;
    } while (nextToken !== undefined);
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
