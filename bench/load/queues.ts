// Queues for the measurements: made, filled to a depth outside the measured time, emptied into the load process's hands.

import { HttpClient } from "./http-client.ts";
import type { DeleteQueueOrder, FillOrder, FillResult, HoldOrder } from "./orders.ts";
import { encode, expectOk, readCounts, readMessages, readQueueUrl } from "./sqs-protocol.ts";
import { type HeldMessage, makeStep, type Work } from "./steps.ts";

const FILLERS = 8;
const BATCH = 10;
const HOLD_SECONDS = 43_200;

export const held: HeldMessage[] = [];

export async function fill(order: FillOrder, client: HttpClient): Promise<FillResult> {
  const { protocol, queue, attributes, depth } = order;
  const create = {
    QueueName: queue,
    ...(attributes === undefined ? {} : { Attributes: attributes }),
  };
  const queueUrl = readQueueUrl(await client.send(encode(client, protocol, "CreateQueue", create)), protocol);
  if (depth === 0) return { queueUrl, sent: 0, seconds: 0 };

  const counted = await client.send(
    encode(client, protocol, "GetQueueAttributes", { QueueUrl: queueUrl, AttributeNames: ["All"] }),
  );
  const counts = readCounts(counted, protocol);
  const there = (counts["ApproximateNumberOfMessages"] ?? 0) + (counts["ApproximateNumberOfMessagesDelayed"] ?? 0);
  let batchesLeft = Math.max(0, Math.ceil((depth - there) / BATCH));
  const sent = batchesLeft * BATCH;
  const { bodyBytes, groups, delaySeconds } = order;
  const work: Work = {
    kind: "send",
    bodyBytes,
    batch: BATCH,
    ...(groups === undefined ? {} : { groups }),
    ...(delaySeconds === undefined ? {} : { delaySeconds }),
  };
  const step = makeStep(work, { protocol, queueUrl, held }, client);
  const fromMs = performance.now();
  await onConnections(order.endpoint, FILLERS, async (filler) => {
    while (batchesLeft > 0) {
      batchesLeft -= 1;
      await step(filler);
    }
  });
  return { queueUrl, sent, seconds: (performance.now() - fromMs) / 1000 };
}

export async function deleteQueue({ protocol, queueUrl }: DeleteQueueOrder, client: HttpClient): Promise<void> {
  expectOk(await client.send(encode(client, protocol, "DeleteQueue", { QueueUrl: queueUrl })));
}

export async function hold({ endpoint, protocol, queueUrl, count }: HoldOrder, client: HttpClient): Promise<void> {
  if (count === 0) {
    held.length = 0;
    return;
  }
  const receive = encode(client, protocol, "ReceiveMessage", {
    QueueUrl: queueUrl,
    MaxNumberOfMessages: BATCH,
    VisibilityTimeout: HOLD_SECONDS,
  });
  const goal = held.length + count;
  await onConnections(endpoint, FILLERS, async (taker) => {
    while (held.length < goal) {
      const messages = readMessages(await taker.send(receive), protocol);
      // The others may be taking the last ones.
      if (messages.length === 0) return;
      for (const { receiptHandle } of messages) held.push({ queueUrl, receiptHandle });
    }
  });
  if (held.length < goal) throw new Error(`${goal - held.length} messages to hold are not there`);
}

async function onConnections(endpoint: string, count: number, run: (client: HttpClient) => Promise<void>) {
  const clients = Array.from({ length: count }, () => new HttpClient(endpoint));
  try {
    await Promise.all(clients.map(run));
  } finally {
    for (const client of clients) client.close();
  }
}
