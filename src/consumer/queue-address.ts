// A queue as people name it: URL, ARN or name.

import type { QueuePort } from "./queue-port.ts";

/** Rejects when there is no such queue. */
export async function queueUrlOf(port: QueuePort, queue: string): Promise<string> {
  if (/^https?:\/\//.test(queue)) return queue;
  const [, account, name] = /^arn:[^:]*:sqs:[^:]*:(\d*):(.+)$/.exec(queue) ?? [];
  return name === undefined ? port.queueUrl(queue) : port.queueUrl(name, account || undefined);
}
