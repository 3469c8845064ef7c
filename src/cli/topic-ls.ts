// millpond topic ls: the topics of one account and region with their subscriptions.

import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { CLIENT_FLAGS } from "./service-client.ts";
import type { Pairs } from "./topic-client.ts";
import { TopicClient } from "./topic-client.ts";

/** How many topics are asked about at the same time. */
const PARALLEL_MAX = 16;

interface Row {
  name: string;
  kind: "fifo" | "standard";
  subscriptions: number;
  pending: number;
  arn: string;
}

export const topicLs: Command = {
  examples: ["topic ls", "topic ls --json"],
  flags: CLIENT_FLAGS,
  async run(call) {
    operandsOf(call, [], "topic ls");
    const client = new TopicClient(call);
    const arns = await listArns(client);
    const rows: Row[] = [];
    for (let start = 0; start < arns.length; start += PARALLEL_MAX) {
      rows.push(...(await Promise.all(arns.slice(start, start + PARALLEL_MAX).map((arn) => describe(client, arn)))));
    }
    if (call.output.isJson) return call.output.json({ topics: rows });
    if (rows.length === 0) {
      return call.output.note(`No topics in account ${client.account}, region ${client.region}.`);
    }
    call.output.table(rows, [
      { title: "TOPIC", value: (row) => row.name, isElastic: true },
      { title: "KIND", value: (row) => row.kind },
      { title: "SUBSCRIPTIONS", value: (row) => String(row.subscriptions), align: "right" },
      { title: "PENDING", value: (row) => String(row.pending), align: "right" },
    ]);
  },
};

async function listArns(client: TopicClient): Promise<string[]> {
  const arns: string[] = [];
  let NextToken: string | undefined;
  do {
    const page: { Topics: { TopicArn: string }[]; NextToken: string | null } = await client.call("ListTopics", {
      NextToken,
    });
    arns.push(...page.Topics.map(({ TopicArn }) => TopicArn));
    NextToken = page.NextToken ?? undefined;
  } while (NextToken !== undefined);
  return arns;
}

async function describe(client: TopicClient, arn: string): Promise<Row> {
  const { Attributes } = await client.call<{ Attributes: Pairs }>("GetTopicAttributes", { TopicArn: arn });
  const attributes = new Map(Attributes.map(({ key, value }) => [key, value]));
  return {
    name: arn.slice(arn.lastIndexOf(":") + 1),
    kind: attributes.get("FifoTopic") === "true" ? "fifo" : "standard",
    subscriptions: Number(attributes.get("SubscriptionsConfirmed")),
    pending: Number(attributes.get("SubscriptionsPending")),
    arn,
  };
}
