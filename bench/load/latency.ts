// From a send to the receive that waited for it, on an otherwise idle server: both ends are sockets of this process, so
// one clock tells both times.

import { quantile } from "../report/statistics.ts";
import { HttpClient } from "./http-client.ts";
import type { LatencyOrder, LatencyResult } from "./orders.ts";
import { encode, expectOk, readMessages } from "./sqs-protocol.ts";
import { bodyOf } from "./steps.ts";

const BODY_BYTES = 256;
/** Time for the receive to be waiting when the send leaves. */
const PARK_MS = 5;
/** A server that looks for messages now and then would take minutes for all samples. */
const SECONDS_MAX = 15;
/** The first ones warm the server up and do not count. */
const WARM_UP_SHARE = 0.25;

export async function latency({ endpoint, protocol, queueUrl, samples }: LatencyOrder, sender: HttpClient) {
  const receiver = new HttpClient(endpoint);
  const body = bodyOf(BODY_BYTES);
  const send = encode(sender, protocol, "SendMessage", { QueueUrl: queueUrl, MessageBody: body });
  const receive = encode(receiver, protocol, "ReceiveMessage", { QueueUrl: queueUrl, WaitTimeSeconds: 20 });
  const timesMs: number[] = [];
  const warmUps = Math.ceil(samples * WARM_UP_SHARE);
  const untilMs = performance.now() + SECONDS_MAX * 1000;
  try {
    for (let sample = 0; sample < samples + warmUps && performance.now() < untilMs; sample++) {
      const waiting = receiver.send(receive);
      await new Promise((resolve) => setTimeout(resolve, PARK_MS));
      const fromMs = performance.now();
      const sent = sender.send(send);
      const messages = readMessages(await waiting, protocol);
      if (sample >= warmUps) timesMs.push(performance.now() - fromMs);
      expectOk(await sent);
      const [message] = messages;
      if (messages.length !== 1 || message?.body !== body)
        throw new Error(`a long poll brought ${messages.length} messages`);
      const input = { QueueUrl: queueUrl, ReceiptHandle: message.receiptHandle };
      expectOk(await receiver.send(encode(receiver, protocol, "DeleteMessage", input)));
    }
  } finally {
    receiver.close();
  }
  timesMs.sort((a, b) => a - b);
  return { p50Ms: quantile(timesMs, 0.5), p99Ms: quantile(timesMs, 0.99) } satisfies LatencyResult;
}
