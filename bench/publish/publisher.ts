// A closed loop of publishers on plain sockets: each waits for its answer before it publishes again.

import { HttpClient } from "../load/http-client.ts";
import { encodeForm, expectCount } from "../load/sqs-protocol.ts";
import { quantile } from "../report/statistics.ts";

export interface PublishLoad {
  endpoint: string;
  topicArn: string;
  /** 1 is Publish, more is PublishBatch. */
  batch: number;
  publishers: number;
  /** Ends after so much time, or so many messages. */
  forMs?: number;
  messages?: number;
}

export interface Published {
  /** Acknowledged. */
  messages: number;
  ms: number;
  p50Ms: number;
  p99Ms: number;
}

const MESSAGE = "m".repeat(256);
const MESSAGE_ID = Buffer.from("<MessageId>");

export async function publish(load: PublishLoad): Promise<Published> {
  const { endpoint, batch, publishers, forMs = Number.POSITIVE_INFINITY, messages = Number.POSITIVE_INFINITY } = load;
  const latencies: number[] = [];
  let asked = 0;
  const fromMs = performance.now();
  const one = async () => {
    const client = new HttpClient(endpoint);
    const request = encodeForm(client, formOf(load.topicArn, batch), "sns");
    while (performance.now() - fromMs < forMs && asked < messages) {
      asked += batch;
      const sinceMs = performance.now();
      expectCount(await client.send(request), MESSAGE_ID, batch);
      latencies.push(performance.now() - sinceMs);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: publishers }, one));
  const ms = performance.now() - fromMs;
  latencies.sort((a, b) => a - b);
  return { messages: latencies.length * batch, ms, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

function formOf(topicArn: string, batch: number): string {
  const form = new URLSearchParams({ Action: "Publish", Version: "2010-03-31", TopicArn: topicArn });
  if (batch === 1) {
    form.set("Message", MESSAGE);
    return form.toString();
  }
  form.set("Action", "PublishBatch");
  for (let index = 1; index <= batch; index++) {
    form.set(`PublishBatchRequestEntries.member.${index}.Id`, String(index));
    form.set(`PublishBatchRequestEntries.member.${index}.Message`, MESSAGE);
  }
  return form.toString();
}
