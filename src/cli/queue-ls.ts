// millpond queue ls: the queues of one account and region with their counts.

import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

/** How many queues are asked about at the same time. */
const PARALLEL_MAX = 16;

interface Row {
  name: string;
  kind: "fifo" | "standard";
  visible: number;
  inFlight: number;
  delayed: number;
  deadLetterQueue?: string;
}

export const queueLs: Command = {
  examples: ["queue ls", "queue ls --prefix orders --json"],
  flags: { prefix: { type: "string", placeholder: "TEXT", help: "only names that begin with this" }, ...CLIENT_FLAGS },
  async run(call) {
    operandsOf(call, [], "queue ls");
    const client = new QueueClient(call);
    const rows = await describeAll(client, await listUrls(client, call.flags["prefix"] as string | undefined));
    if (call.output.isJson) return call.output.json({ queues: rows });
    if (rows.length === 0) {
      return call.output.note(`No queues in account ${client.account}, region ${client.region}.`);
    }
    call.output.table(rows, [
      { title: "QUEUE", value: (row) => row.name },
      { title: "KIND", value: (row) => row.kind },
      { title: "VISIBLE", value: (row) => String(row.visible), align: "right" },
      { title: "IN FLIGHT", value: (row) => String(row.inFlight), align: "right" },
      { title: "DELAYED", value: (row) => String(row.delayed), align: "right" },
      { title: "DEAD-LETTER QUEUE", value: (row) => row.deadLetterQueue ?? "-", isElastic: true },
    ]);
  },
};

async function listUrls(client: QueueClient, prefix: string | undefined): Promise<string[]> {
  const urls: string[] = [];
  let nextToken: string | undefined;
  do {
    const page: { QueueUrls?: string[]; NextToken?: string } = await client.call("ListQueues", {
      MaxResults: 1000,
      ...(prefix === undefined ? {} : { QueueNamePrefix: prefix }),
      ...(nextToken === undefined ? {} : { NextToken: nextToken }),
    });
    urls.push(...(page.QueueUrls ?? []));
    nextToken = page.NextToken;
  } while (nextToken !== undefined);
  return urls;
}

async function describeAll(client: QueueClient, urls: string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < urls.length; start += PARALLEL_MAX) {
    rows.push(...(await Promise.all(urls.slice(start, start + PARALLEL_MAX).map((url) => describe(client, url)))));
  }
  return rows;
}

async function describe(client: QueueClient, url: string): Promise<Row> {
  const input = { QueueUrl: url, AttributeNames: ["All"] };
  const { Attributes = {} } = await client.call<{ Attributes?: Record<string, string> }>("GetQueueAttributes", input);
  const policy = Attributes["RedrivePolicy"];
  const target = policy === undefined ? undefined : (JSON.parse(policy) as { deadLetterTargetArn?: string });
  const deadLetterQueue = target?.deadLetterTargetArn?.split(":").at(-1);
  return {
    name: url.slice(url.lastIndexOf("/") + 1),
    kind: Attributes["FifoQueue"] === "true" ? "fifo" : "standard",
    visible: Number(Attributes["ApproximateNumberOfMessages"] ?? 0),
    inFlight: Number(Attributes["ApproximateNumberOfMessagesNotVisible"] ?? 0),
    delayed: Number(Attributes["ApproximateNumberOfMessagesDelayed"] ?? 0),
    ...(deadLetterQueue === undefined ? {} : { deadLetterQueue }),
  };
}
