// millpond topic subscribe: a queue, a URL, an address or a function; what it is shows in how it is written.

import type { Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { usageError } from "./exit-codes.ts";
import { given, operandsOf } from "./operands.ts";
import { CLIENT_FLAGS } from "./service-client.ts";
import { mapFields, TopicClient } from "./topic-client.ts";

export const topicSubscribe: Command = {
  about:
    "A name without more is a queue of the same account. URLs and addresses have to confirm before they get messages.",
  examples: [
    "topic subscribe orders billing --raw",
    'topic subscribe orders billing --filter \'{"kind": ["paid"]}\'',
    "topic subscribe orders http://127.0.0.1:8080/hook",
    "topic subscribe orders frog@pond.example",
  ],
  flags: {
    raw: { type: "boolean", help: "deliver the message alone, without the notification" },
    filter: { type: "string", placeholder: "JSON", help: "filter policy on message attributes" },
    "filter-body": { type: "string", placeholder: "JSON", help: "filter policy on the message" },
    dlq: { type: "string", placeholder: "NAME", help: "queue for what cannot be delivered" },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [name, endpoint] = operandsOf(call, ["NAME", "TO"], "topic subscribe NAME TO [--raw] …");
    const client = new TopicClient(call);
    const ofAttributes = textFlag(call, "filter");
    const ofBody = textFlag(call, "filter-body");
    if (ofAttributes !== undefined && ofBody !== undefined) {
      throw usageError("A subscription has one filter policy: give --filter or --filter-body.");
    }
    const deadLetterQueue = textFlag(call, "dlq");
    const attributes = given({
      RawMessageDelivery: call.flags["raw"] === true ? "true" : undefined,
      FilterPolicy: ofAttributes ?? ofBody,
      FilterPolicyScope: ofBody === undefined ? undefined : "MessageBody",
      RedrivePolicy:
        deadLetterQueue === undefined
          ? undefined
          : JSON.stringify({ deadLetterTargetArn: client.arnOf(deadLetterQueue, "sqs") }),
    });
    const { SubscriptionArn } = await client.call<{ SubscriptionArn: string }>("Subscribe", {
      TopicArn: client.arnOf(name),
      ...endpointOf(endpoint, client),
      ReturnSubscriptionArn: "true",
      ...mapFields("Attributes", attributes),
    });
    call.output.result({ arn: SubscriptionArn }, SubscriptionArn);
  },
};

function endpointOf(typed: string, client: TopicClient): { Protocol: string; Endpoint: string } {
  const scheme = /^(https?):\/\//.exec(typed)?.[1];
  if (scheme !== undefined) return { Protocol: scheme, Endpoint: typed };
  const service = /^arn:[^:]*:([^:]*):/.exec(typed)?.[1];
  if (service !== undefined) return { Protocol: service, Endpoint: typed };
  if (typed.includes("@")) return { Protocol: "email", Endpoint: typed };
  if (typed.startsWith("+")) return { Protocol: "sms", Endpoint: typed };
  return { Protocol: "sqs", Endpoint: client.arnOf(typed, "sqs") };
}
