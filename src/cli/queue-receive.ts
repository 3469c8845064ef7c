// millpond queue receive: takes messages as a consumer does. They stay hidden for the visibility timeout and come
// back unless deleted.

import { formatDuration } from "../config/index.ts";
import type { Command } from "./command.ts";
import { given, numberFlag, operandsOf, secondsFlag } from "./operands.ts";
import type { Output } from "./output.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

interface WireMessage {
  MessageId: string;
  ReceiptHandle: string;
  Body: string;
  Attributes?: Record<string, string>;
  MessageAttributes?: Record<string, { DataType: string; StringValue?: string; BinaryValue?: string }>;
}

export const queueReceive: Command = {
  about: "To look without taking, use queue peek.",
  examples: ["queue receive orders --wait 20s", "queue receive orders --max 10 --delete --json"],
  flags: {
    max: { type: "string", placeholder: "N", help: "at most this many, up to 10 [1]" },
    wait: { type: "string", placeholder: "TIME", help: "wait for a message, up to 20s [the queue's own]" },
    visibility: { type: "string", placeholder: "TIME", help: "hide them for this long [the queue's own]" },
    delete: { type: "boolean", help: "delete what was received, after printing it" },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "queue receive NAME [--max 10] [--wait 5s] [--delete]");
    const client = new QueueClient(call);
    const QueueUrl = client.urlOf(name);
    const { Messages = [] } = await client.call<{ Messages?: WireMessage[] }>(
      "ReceiveMessage",
      given({
        QueueUrl,
        MaxNumberOfMessages: numberFlag(call, "max"),
        WaitTimeSeconds: secondsFlag(call, "wait"),
        VisibilityTimeout: secondsFlag(call, "visibility"),
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
    );
    for (const [index, message] of Messages.entries()) {
      if (call.output.isJson) call.output.json(message);
      else printMessage(call.output, message, index > 0);
    }
    if (Messages.length === 0) call.output.note(`No message in ${name} is ready to be received.`);
    if (call.flags["delete"] !== true || Messages.length === 0) return;
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const { Failed = [] } = await client.call<{ Failed?: unknown[] }>("DeleteMessageBatch", { QueueUrl, Entries });
    call.output.note(`Deleted ${Messages.length - Failed.length} of ${Messages.length}.`);
  },
};

function printMessage(output: Output, message: WireMessage, hasOneAbove: boolean): void {
  const { Attributes = {}, MessageAttributes = {} } = message;
  const ageMs = Date.now() - Number(Attributes["SentTimestamp"] ?? Date.now());
  const receives = Attributes["ApproximateReceiveCount"] ?? "1";
  if (hasOneAbove) output.line();
  output.line(
    `${output.style("bold", message.MessageId)}  sent ${formatDuration(Math.max(0, ageMs))} ago, receive ${receives}`,
  );
  const group = Attributes["MessageGroupId"];
  if (group !== undefined) output.line(output.style("dim", `  group ${group}`));
  for (const [name, value] of Object.entries(MessageAttributes)) {
    const shown = value.StringValue ?? `${value.BinaryValue} (base64)`;
    output.line(output.style("dim", `  ${name} = ${shown} (${value.DataType})`));
  }
  output.line(output.style("dim", `  receipt ${message.ReceiptHandle}`));
  output.line(message.Body);
}
