// What a story is told with: an SQS client, a clock, and a voice. `npm run example` gives it the real ones; the tests
// give it a virtual clock and listen.

import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { Clock } from "millpond/consumer";

export interface Stage {
  sqs: SQSClient;
  clock: Clock;
  say(line: string): void;
}

/** Seconds since the story began, for what it says. */
export function stopwatch({ clock }: Stage): () => string {
  const startMs = clock.nowMs();
  return () => `${((clock.nowMs() - startMs) / 1000).toFixed(1)} s`;
}

export function sleep({ clock }: Stage, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(clock.nowMs() + ms, resolve);
    signal?.addEventListener("abort", () => {
      timer.cancel();
      reject(signal.reason);
    });
  });
}

/** A new empty queue, and its dead-letter queue `NAME-dlq` when `maxReceiveCount` is given. Answers its URL. */
export async function freshQueue(
  { sqs }: Stage,
  name: string,
  { maxReceiveCount, ...attributes }: { maxReceiveCount?: number } & Record<string, string | number> = {},
): Promise<string> {
  const isFifo = name.endsWith(".fifo");
  const Attributes: Record<string, string> = isFifo ? { FifoQueue: "true" } : {};
  for (const [key, value] of Object.entries(attributes)) Attributes[key] = String(value);
  if (maxReceiveCount !== undefined) {
    const dead = await recreate(sqs, deadLetterName(name), isFifo ? { FifoQueue: "true" } : {});
    const deadLetterTargetArn = (await attribute(sqs, dead, "QueueArn")) as string;
    Attributes["RedrivePolicy"] = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
  }
  return recreate(sqs, name, Attributes);
}

export function deadLetterName(name: string): string {
  return name.endsWith(".fifo") ? `${name.slice(0, -".fifo".length)}-dlq.fifo` : `${name}-dlq`;
}

export function deadLetterUrl(url: string): string {
  return url.slice(0, url.lastIndexOf("/") + 1) + deadLetterName(url.slice(url.lastIndexOf("/") + 1));
}

export async function arnOf({ sqs }: Stage, url: string): Promise<string> {
  return (await attribute(sqs, url, "QueueArn")) as string;
}

export async function send({ sqs }: Stage, url: string, body: unknown): Promise<string> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: text }))).MessageId as string;
}

/** A plain receive, as any other consumer would make it. */
export async function receive({ sqs }: Stage, url: string, waitSeconds = 0, max = 10): Promise<Message[]> {
  const answer = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: max,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ["All"],
    }),
  );
  return answer.Messages ?? [];
}

/** Messages that are visible, and those in flight. */
export async function depth({ sqs }: Stage, url: string): Promise<{ visible: number; inFlight: number }> {
  const visible = Number(await attribute(sqs, url, "ApproximateNumberOfMessages"));
  const inFlight = Number(await attribute(sqs, url, "ApproximateNumberOfMessagesNotVisible"));
  return { visible, inFlight };
}

type AttributeName = "QueueArn" | "ApproximateNumberOfMessages" | "ApproximateNumberOfMessagesNotVisible";

async function attribute(sqs: SQSClient, QueueUrl: string, name: AttributeName): Promise<string | undefined> {
  const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
  return answer.Attributes?.[name];
}

async function recreate(sqs: SQSClient, QueueName: string, Attributes: Record<string, string>): Promise<string> {
  // Whatever an earlier run left there goes.
  const old = await sqs.send(new GetQueueUrlCommand({ QueueName })).catch(() => undefined);
  if (old?.QueueUrl !== undefined) await sqs.send(new DeleteQueueCommand({ QueueUrl: old.QueueUrl }));
  return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl as string;
}
