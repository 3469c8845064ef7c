// Queue ARNs: `arn:aws:sqs:{region}:{account}:{name}`. Other partitions' ARNs (aws-cn, aws-us-gov) are read too.

import type { QueueKey } from "./command.ts";

export function queueArn(queue: QueueKey): string {
  return `arn:aws:sqs:${queue.region}:${queue.account}:${queue.name}`;
}

export type ParsedArn = { is: "queue"; queue: QueueKey } | { is: "other service" } | { is: "no arn" };

export function parseQueueArn(arn: string): ParsedArn {
  const [scheme, partition, service, region, account, name, ...rest] = arn.split(":");
  if (scheme !== "arn" || !partition || !service || name === undefined) return { is: "no arn" };
  if (service !== "sqs") return { is: "other service" };
  if (!region || !account || name === "" || rest.length > 0) return { is: "no arn" };
  return { is: "queue", queue: { account, region, name } };
}
