// millpond topic show: who subscribed to a topic, what became of their messages, and why nothing arrives.

import { formatDuration } from "../config/index.ts";
import type { SubscriptionReport } from "../server/index.ts";
import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import type { Output } from "./output.ts";
import { CLIENT_FLAGS } from "./service-client.ts";
import { TopicClient } from "./topic-client.ts";

export const topicShow: Command = {
  about: "Counts are since the server started. WAITING is what is still to be delivered, for the first time or again.",
  examples: ["topic show orders", "topic show orders --json"],
  flags: CLIENT_FLAGS,
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "topic show NAME");
    const client = new TopicClient(call);
    const topic = [client.account, client.region, name].map(encodeURIComponent).join("/");
    const { subscriptions } = await client.admin<{ subscriptions: SubscriptionReport[] }>(
      `/_millpond/topics/${topic}/subscriptions`,
    );
    const { output } = call;
    if (output.isJson) return output.json({ name, arn: client.arnOf(name), subscriptions });
    if (subscriptions.length === 0) return output.note(`Nobody has subscribed to ${name}.`);
    output.table(subscriptions, [
      { title: "PROTOCOL", value: ({ protocol }) => protocol },
      { title: "ENDPOINT", value: shortEndpoint, isElastic: true },
      { title: "STATE", value: stateOf },
      { title: "DELIVERED", value: ({ deliveredCount }) => String(deliveredCount), align: "right" },
      { title: "RETRIED", value: ({ retriedCount }) => String(retriedCount), align: "right" },
      { title: "GIVEN UP", value: ({ failedCount }) => String(failedCount), align: "right" },
      { title: "WAITING", value: ({ waitingCount }) => String(waitingCount), align: "right" },
    ]);
    for (const subscription of subscriptions) explain(subscription, output);
  },
};

/** What is wrong with it, in words. */
function explain(subscription: SubscriptionReport, output: Output): void {
  const { problem, missingStatement, failures } = subscription;
  const last = failures.at(-1);
  if (problem === undefined && last === undefined) return;
  output.line();
  output.line(output.style("bold", shortEndpoint(subscription)));
  if (problem !== undefined) output.line(`  ${problem}`);
  if (missingStatement !== undefined) {
    output.line("  Add this statement to the queue's policy:");
    output.line(`  ${JSON.stringify(missingStatement)}`);
  }
  if (last !== undefined) {
    const ago = formatDuration(Math.max(0, Date.now() - last.atMs));
    output.line(`  Last failure, ${ago} ago: ${last.reason} ${OUTCOMES[last.outcome]}`);
  }
}

const OUTCOMES = {
  retried: "It is tried again.",
  deadLettered: "The message is in the dead-letter queue.",
  dropped: "The message is gone.",
} as const;

/** Of queues and functions the name, of others all. */
function shortEndpoint({ endpoint }: SubscriptionReport): string {
  return endpoint.startsWith("arn:") ? endpoint.slice(endpoint.lastIndexOf(":") + 1) : endpoint;
}

function stateOf({ pending, problem, filterPolicy }: SubscriptionReport): string {
  if (pending) return "pending";
  if (problem !== undefined) return "problem";
  return filterPolicy === undefined ? "confirmed" : "filtered";
}
