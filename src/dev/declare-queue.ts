// A declared queue. The attributes that a config file can name are as it says, and AWS's own where it says nothing;
// others, such as a policy, stay as they are.

import { carryOut, lookFor, queueArnOf } from "./carry-out.ts";
import type { QueueDeclaration } from "./project.ts";
import { isFifoName } from "./project.ts";
import type { DeclareWorld } from "./reconcile.ts";

/** Without its dead-letter queue, which may not be there yet. False: there is one of that name. */
export async function makeQueue(world: DeclareWorld, declared: QueueDeclaration): Promise<boolean> {
  const queue = { ...world.scope, name: declared.name };
  if ((await lookFor<"getQueue">(world, { kind: "getQueue", queue })) !== undefined) return false;
  const fifo: Record<string, string> = isFifoName(declared.name) ? { FifoQueue: "true" } : {};
  const attributes = { ...attributesOf(declared), ...fifo };
  await carryOut<"createQueue">(world, pathOf(declared), { kind: "createQueue", queue, attributes, tags: {} });
  return true;
}

/** Whether something of it was another. */
export async function declareQueue(world: DeclareWorld, declared: QueueDeclaration): Promise<boolean> {
  const path = pathOf(declared);
  const queue = { ...world.scope, name: declared.name };
  const command = { kind: "getQueueAttributes", queue } as const;
  const { attributes: current } = await carryOut<"getQueueAttributes">(world, path, command);
  const wanted = attributesOf(declared);
  const attributes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => current[name] !== value));
  const redrive = redrivePolicyOf(world, declared);
  if (!isSameRedrive(current["RedrivePolicy"], redrive)) attributes["RedrivePolicy"] = redrive;
  if (Object.keys(attributes).length === 0) return false;
  await carryOut<"setQueueAttributes">(world, path, { kind: "setQueueAttributes", queue, attributes });
  return true;
}

function attributesOf(declared: QueueDeclaration): Record<string, string> {
  return {
    VisibilityTimeout: String(declared.visibilityMs / 1000),
    DelaySeconds: String(declared.delayMs / 1000),
    MessageRetentionPeriod: String(declared.retentionMs / 1000),
    ReceiveMessageWaitTimeSeconds: String(declared.waitMs / 1000),
    ...(isFifoName(declared.name) ? { ContentBasedDeduplication: String(declared.contentDedup) } : {}),
  };
}

/** Empty: none, which also takes off one that there is. */
function redrivePolicyOf(world: DeclareWorld, { dlq }: QueueDeclaration): string {
  if (dlq === undefined) return "";
  return JSON.stringify({ deadLetterTargetArn: queueArnOf(world, dlq.name), maxReceiveCount: dlq.maxReceives });
}

/** Numbers of a policy may be texts. */
function isSameRedrive(current: string | undefined, wanted: string): boolean {
  if (current === undefined || wanted === "") return (current ?? "") === wanted;
  const one = JSON.parse(current) as { deadLetterTargetArn: string; maxReceiveCount: number | string };
  const other = JSON.parse(wanted) as typeof one;
  return one.deadLetterTargetArn === other.deadLetterTargetArn && Number(one.maxReceiveCount) === other.maxReceiveCount;
}

function pathOf({ name }: QueueDeclaration): string {
  return `queues.${name}`;
}
