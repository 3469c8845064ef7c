// millpond queue send: one message, its body from the command line or from standard input.

import { attributesOf } from "./attribute-flags.ts";
import type { Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { given, operandsOf, secondsFlag } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

export const queueSend: Command = {
  examples: [
    "queue send orders '{\"id\": 1}'",
    "queue send orders - < order.json",
    "queue send payments.fifo paid --group customer-7 --dedup payment-12",
    "queue send orders hello --attribute tries:Number=1",
  ],
  flags: {
    group: { type: "string", placeholder: "G", help: "message group; FIFO queues need one" },
    dedup: { type: "string", placeholder: "D", help: "deduplication id (FIFO)" },
    delay: { type: "string", placeholder: "TIME", help: "hide the message for this long first" },
    attribute: {
      type: "string",
      placeholder: "K=V",
      multiple: true,
      help: "message attribute; K:Number=V for numbers",
    },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [name, body] = operandsOf(call, ["NAME", "BODY"], "queue send NAME BODY [--group G] [--delay 5s] …");
    const client = new QueueClient(call);
    const answer = await client.call<{ MessageId: string; SequenceNumber?: string }>(
      "SendMessage",
      given({
        QueueUrl: client.urlOf(name),
        MessageBody: body === "-" ? await call.readInput() : body,
        MessageGroupId: textFlag(call, "group"),
        MessageDeduplicationId: textFlag(call, "dedup"),
        DelaySeconds: secondsFlag(call, "delay"),
        MessageAttributes: attributesOf(call),
      }),
    );
    call.output.result(
      given({ messageId: answer.MessageId, sequenceNumber: answer.SequenceNumber }),
      answer.SequenceNumber === undefined ? answer.MessageId : `${answer.MessageId}  sequence ${answer.SequenceNumber}`,
    );
  },
};
