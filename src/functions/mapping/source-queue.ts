// The queue of a mapping, through the host's own door: no HTTP, no polling interval; a waiting receive is woken in the
// turn in which a message arrives.

import { assert } from "../../base/assert.ts";
import type { Outcome, QueueKey } from "../../engine/command.ts";
import { DEFAULT_VISIBILITY_MS } from "../../engine/limits.ts";
import type { Host } from "../../host/index.ts";
import { parseQueueArn } from "../../host/index.ts";
import { SourceProblem, type SourceQueue } from "./ports.ts";

/** Handles of one command: a log entry of some kilobytes. */
const HANDLES_MAX = 1000;

export function sourceQueue(host: Host, eventSourceArn: string): SourceQueue {
  const queue = keyOf(eventSourceArn);
  const attribute = async (name: string): Promise<string | undefined> => {
    const { attributes } = answerOf(await host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue }));
    return attributes[name];
  };
  return {
    isFifo: queue.name.endsWith(".fifo"),
    async receive(request, signal) {
      const command = { kind: "receiveMessages" as const, queue, ...request };
      return answerOf(await host.execute<"receiveMessages">(command, { signal })).messages;
    },
    async delete(receiptHandles) {
      let notDeleted = 0;
      for (const handles of inPieces(receiptHandles, HANDLES_MAX)) {
        const command = { kind: "deleteMessages" as const, queue, receiptHandles: handles };
        const { entries } = answerOf(await host.execute<"deleteMessages">(command));
        notDeleted += entries.filter(({ ok }) => !ok).length;
      }
      return notDeleted;
    },
    async hold(receiptHandles, visibilityTimeoutMs) {
      const entries = receiptHandles.map((receiptHandle) => ({ receiptHandle, visibilityTimeoutMs }));
      answerOf(await host.execute<"changeVisibility">({ kind: "changeVisibility", queue, entries }));
    },
    async visibilityTimeoutMs() {
      const seconds = await attribute("VisibilityTimeout");
      return seconds === undefined ? DEFAULT_VISIBILITY_MS : Number(seconds) * 1000;
    },
    backlog: async () => Number((await attribute("ApproximateNumberOfMessages")) ?? 0),
  };
}

function keyOf(arn: string): QueueKey {
  const parsed = parseQueueArn(arn);
  assert(parsed.is === "queue", "a mapping is made of a queue that exists");
  return parsed.queue;
}

function answerOf<Value>(outcome: { ok: true; value: Value } | Extract<Outcome, { ok: false }>): Value {
  if (outcome.ok) return outcome.value;
  throw new SourceProblem(outcome.refusal.code, outcome.refusal.message);
}

export function inPieces<Item>(items: readonly Item[], size: number): Item[][] {
  const pieces: Item[][] = [];
  for (let from = 0; from < items.length; from += size) pieces.push(items.slice(from, from + size));
  return pieces;
}
