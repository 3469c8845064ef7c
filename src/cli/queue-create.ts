// millpond queue create: a queue, and its dead-letter queue when there is none yet.

import type { Call, Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { usageError } from "./exit-codes.ts";
import { given, numberFlag, operandsOf, secondsFlag } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

/** Enough tries for a passing trouble, few enough that a poison message leaves soon. */
const MAX_RECEIVES_DEFAULT = 5;

export const queueCreate: Command = {
  about: "Creating a queue again with the same attributes changes nothing. FIFO queues end in .fifo; --fifo adds it.",
  examples: [
    "queue create orders --visibility 30s",
    "queue create orders --dlq orders-failed --max-receives 3",
    "queue create payments --fifo --content-dedup",
  ],
  flags: {
    fifo: { type: "boolean", help: "keep order within a message group" },
    "content-dedup": { type: "boolean", help: "FIFO: equal bodies within 5 minutes are one message" },
    dlq: { type: "string", placeholder: "NAME", help: "dead-letter queue; created when it does not exist" },
    "max-receives": {
      type: "string",
      placeholder: "N",
      help: `receives before a message goes there [${MAX_RECEIVES_DEFAULT}]`,
    },
    visibility: { type: "string", placeholder: "TIME", help: "how long a received message stays hidden [30s]" },
    delay: { type: "string", placeholder: "TIME", help: "how long a new message stays hidden [0s]" },
    retention: { type: "string", placeholder: "TIME", help: "how long a message is kept [4d]" },
    wait: { type: "string", placeholder: "TIME", help: "how long a receive waits for a message [0s]" },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [typed] = operandsOf(call, ["NAME"], "queue create NAME [--fifo] [--dlq NAME] [--visibility 30s] …");
    const client = new QueueClient(call);
    const isFifo = call.flags["fifo"] === true || typed.endsWith(".fifo");
    const name = fifoName(typed, isFifo);
    const attributes = attributesOf(call, client, isFifo);
    const deadLetterQueue = textFlag(call, "dlq");
    if (deadLetterQueue !== undefined) {
      const Attributes = isFifo ? { FifoQueue: "true" } : undefined;
      await client.call("CreateQueue", given({ QueueName: fifoName(deadLetterQueue, isFifo), Attributes }));
    }
    const answer = await client.call<{ QueueUrl: string }>("CreateQueue", { QueueName: name, Attributes: attributes });
    call.output.result({ name, url: answer.QueueUrl, arn: client.arnOf(name) }, answer.QueueUrl);
  },
};

function attributesOf(call: Call, client: QueueClient, isFifo: boolean): Record<string, string> {
  const deadLetterQueue = textFlag(call, "dlq");
  const maxReceives = numberFlag(call, "max-receives");
  if (maxReceives !== undefined && deadLetterQueue === undefined) {
    throw usageError("--max-receives says when a message goes to the dead-letter queue, so it needs --dlq NAME.");
  }
  if (call.flags["content-dedup"] === true && !isFifo) {
    throw usageError("--content-dedup works on FIFO queues only; add --fifo.");
  }
  const values = given({
    VisibilityTimeout: secondsFlag(call, "visibility"),
    DelaySeconds: secondsFlag(call, "delay"),
    MessageRetentionPeriod: secondsFlag(call, "retention"),
    ReceiveMessageWaitTimeSeconds: secondsFlag(call, "wait"),
    FifoQueue: isFifo ? true : undefined,
    ContentBasedDeduplication: call.flags["content-dedup"] === true ? true : undefined,
  });
  const attributes = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  if (deadLetterQueue !== undefined) {
    const deadLetterTargetArn = client.arnOf(fifoName(deadLetterQueue, isFifo));
    const maxReceiveCount = maxReceives ?? MAX_RECEIVES_DEFAULT;
    attributes["RedrivePolicy"] = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
  }
  return attributes;
}

function fifoName(name: string, isFifo: boolean): string {
  return isFifo && !name.endsWith(".fifo") ? `${name}.fifo` : name;
}
