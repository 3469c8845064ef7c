// millpond topic publish: one message to everybody who subscribed, from the command line or from standard input.

import { attributesOf } from "./attribute-flags.ts";
import type { Call, Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { given, operandsOf } from "./operands.ts";
import { CLIENT_FLAGS } from "./service-client.ts";
import { TopicClient } from "./topic-client.ts";

export const topicPublish: Command = {
  examples: [
    "topic publish orders '{\"id\": 1}'",
    "topic publish orders paid --attribute kind=paid --subject Paid",
    "topic publish payments.fifo paid --group customer-7",
  ],
  flags: {
    subject: { type: "string", placeholder: "TEXT", help: "for mail, and in notifications" },
    group: { type: "string", placeholder: "G", help: "message group; FIFO topics need one" },
    dedup: { type: "string", placeholder: "D", help: "deduplication id (FIFO)" },
    attribute: {
      type: "string",
      placeholder: "K=V",
      multiple: true,
      help: "message attribute; K:Number=V for numbers",
    },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [name, message] = operandsOf(call, ["NAME", "TEXT"], "topic publish NAME TEXT [--subject TEXT] …");
    const client = new TopicClient(call);
    const answer = await client.call<{ MessageId: string; SequenceNumber: string | null }>("Publish", {
      TopicArn: client.arnOf(name),
      Message: message === "-" ? await call.readInput() : message,
      Subject: textFlag(call, "subject"),
      MessageGroupId: textFlag(call, "group"),
      MessageDeduplicationId: textFlag(call, "dedup"),
      ...attributeFields(call),
    });
    const sequenceNumber = answer.SequenceNumber ?? undefined;
    call.output.result(
      given({ messageId: answer.MessageId, sequenceNumber }),
      sequenceNumber === undefined ? answer.MessageId : `${answer.MessageId}  sequence ${sequenceNumber}`,
    );
  },
};

function attributeFields(call: Call): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [index, [name, value]] of Object.entries(attributesOf(call) ?? {}).entries()) {
    const entry = `MessageAttributes.entry.${index + 1}`;
    fields[`${entry}.Name`] = name;
    fields[`${entry}.Value.DataType`] = value.DataType;
    fields[`${entry}.Value.StringValue`] = value.StringValue;
  }
  return fields;
}
