// millpond topic create: a topic.

import type { Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { usageError } from "./exit-codes.ts";
import { given, operandsOf } from "./operands.ts";
import { CLIENT_FLAGS } from "./service-client.ts";
import { mapFields, TopicClient } from "./topic-client.ts";

export const topicCreate: Command = {
  about: "Creating a topic again with the same attributes changes nothing. FIFO topics end in .fifo; --fifo adds it.",
  examples: ["topic create orders", "topic create payments --fifo --content-dedup"],
  flags: {
    fifo: { type: "boolean", help: "keep order within a message group" },
    "content-dedup": { type: "boolean", help: "FIFO: equal messages within 5 minutes are one" },
    "display-name": { type: "string", placeholder: "TEXT", help: "who mail from the topic is from" },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [typed] = operandsOf(call, ["NAME"], "topic create NAME [--fifo] [--content-dedup]");
    const client = new TopicClient(call);
    const isFifo = call.flags["fifo"] === true || typed.endsWith(".fifo");
    const contentDedup = call.flags["content-dedup"] === true;
    if (contentDedup && !isFifo) throw usageError("--content-dedup works on FIFO topics only; add --fifo.");
    const name = isFifo && !typed.endsWith(".fifo") ? `${typed}.fifo` : typed;
    const attributes = given({
      FifoTopic: isFifo ? "true" : undefined,
      ContentBasedDeduplication: contentDedup ? "true" : undefined,
      DisplayName: textFlag(call, "display-name"),
    });
    const { TopicArn } = await client.call<{ TopicArn: string }>("CreateTopic", {
      Name: name,
      ...mapFields("Attributes", attributes),
    });
    call.output.result({ name, arn: TopicArn }, TopicArn);
  },
};
