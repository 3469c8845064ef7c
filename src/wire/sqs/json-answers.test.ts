import assert from "node:assert/strict";
import test from "node:test";
import { sqsJsonWriters } from "./json-answers.ts";

const MD5 = "78e731027d8fd50ed642340b7c9a63b3";
const failed = [{ Id: "f-1", SenderFault: true, Code: "InvalidParameterValue", Message: 'Value "\\" is\nwrong' }];

test("answers put together by hand are what JSON.stringify makes of them", () => {
  const sent = { MessageId: "m-1", MD5OfMessageBody: MD5, MD5OfMessageAttributes: undefined };
  const whole = { ...sent, MD5OfMessageAttributes: MD5, MD5OfMessageSystemAttributes: MD5, SequenceNumber: "0001" };
  const received = { MessageId: "m-1", ReceiptHandle: "AQ+/==", MD5OfBody: MD5, Attributes: undefined };
  const bodies = ["plain", "", 'a "quoted" \\ text', "line\r\nbreaks\t", "\u0000\u001f\u007f", "– café 🐸 \u2028"];
  const messages = bodies.map((Body) => ({ ...received, Body }));
  const full = {
    ...received,
    Body: '{"a":1}',
    Attributes: { SenderId: 'A"B', SentTimestamp: "1" },
    MD5OfMessageAttributes: MD5,
    MessageAttributes: { é: { StringValue: 'x"y', DataType: "String" } },
  };
  const { Attributes, MD5OfBody, MessageId, ReceiptHandle, ...rest } = full;
  check("SendMessage", sent, whole, { ...sent, SequenceNumber: "0001" });
  check(
    "SendMessageBatch",
    {
      Successful: [
        { Id: "a", ...sent },
        { Id: "b", ...whole },
      ],
    },
    { Successful: [{ Id: "a", ...whole }], Failed: failed },
    { Failed: failed },
  );
  const ordered = { MessageId, ReceiptHandle, MD5OfBody, Body: rest.Body, Attributes };
  const members = { MD5OfMessageAttributes: MD5, MessageAttributes: full.MessageAttributes };
  check(
    "ReceiveMessage",
    {},
    { Messages: messages.map(({ Body, ...before }) => ({ ...before, Body })) },
    {
      Messages: [
        { ...ordered, ...members },
        { ...ordered, Attributes: undefined },
      ],
    },
  );
  check("DeleteMessage", {});
  check(
    "DeleteMessageBatch",
    { Successful: [{ Id: "a" }, { Id: "b" }] },
    { Failed: failed },
    {
      Successful: [{ Id: "a" }],
      Failed: failed,
    },
  );
});

function check(operation: keyof typeof sqsJsonWriters, ...outputs: object[]): void {
  const write = sqsJsonWriters[operation] as (output: object) => string;
  for (const output of outputs) assert.equal(write(output), JSON.stringify(output), operation);
}
