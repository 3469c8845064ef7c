// The answers of the busiest operations as JSON, put together by hand: the same characters that JSON.stringify gives, for
// a half of the time (docs/decisions/0006). Ids, digests and handles are of our own making, or were checked to consist
// of letters that need no escapes; whatever else a client may have sent goes through `quoted` or JSON.stringify.

import type { operations } from "../models/sqs.ts";
import { quoted } from "../protocol/json-text.ts";
import type { OutputIn } from "../protocol/operation.ts";
import type { OperationName } from "./operation.ts";

type Output<Name extends OperationName> = OutputIn<typeof operations, Name>;
type Sent = Output<"SendMessage">;
type SentEntry = NonNullable<Output<"SendMessageBatch">["Successful"]>[number];
type Received = NonNullable<Output<"ReceiveMessage">["Messages"]>[number];
type Failed = Output<"SendMessageBatch">["Failed"];

type Writers = { [Name in OperationName]?: (output: Output<Name>) => string };

/** By operation; for the others JSON.stringify does. */
export const sqsJsonWriters: Writers = {
  SendMessage: (output) => `{${sentMembers(output)}}`,
  SendMessageBatch: ({ Successful, Failed }) => batchOf(Successful, writeSentEntry, Failed),
  ReceiveMessage: ({ Messages }) => (Messages === undefined ? "{}" : `{"Messages":${listOf(Messages, writeReceived)}}`),
  DeleteMessage: () => "{}",
  DeleteMessageBatch: ({ Successful, Failed }) => batchOf(Successful, ({ Id }) => `{"Id":"${Id}"}`, Failed),
};

function writeSentEntry(entry: SentEntry): string {
  return `{"Id":"${entry.Id}",${sentMembers(entry)}}`;
}

function sentMembers(sent: Sent | SentEntry): string {
  let members = `"MessageId":"${sent.MessageId}","MD5OfMessageBody":"${sent.MD5OfMessageBody}"`;
  if (sent.MD5OfMessageAttributes !== undefined)
    members += `,"MD5OfMessageAttributes":"${sent.MD5OfMessageAttributes}"`;
  if (sent.MD5OfMessageSystemAttributes !== undefined) {
    members += `,"MD5OfMessageSystemAttributes":"${sent.MD5OfMessageSystemAttributes}"`;
  }
  if (sent.SequenceNumber !== undefined) members += `,"SequenceNumber":"${sent.SequenceNumber}"`;
  return members;
}

function writeReceived(message: Received): string {
  const { Body: body = "" } = message;
  let members = `"MessageId":"${message.MessageId}","ReceiptHandle":"${message.ReceiptHandle}"`;
  members += `,"MD5OfBody":"${message.MD5OfBody}","Body":${quoted(body)}`;
  if (message.Attributes !== undefined) members += `,"Attributes":${JSON.stringify(message.Attributes)}`;
  if (message.MD5OfMessageAttributes !== undefined) {
    members += `,"MD5OfMessageAttributes":"${message.MD5OfMessageAttributes}"`;
  }
  if (message.MessageAttributes !== undefined) {
    members += `,"MessageAttributes":${JSON.stringify(message.MessageAttributes)}`;
  }
  return `{${members}}`;
}

function batchOf<Entry>(successful: Entry[] | undefined, write: (entry: Entry) => string, failed: Failed): string {
  const good = successful === undefined ? "" : `"Successful":${listOf(successful, write)}`;
  const bad = failed === undefined ? "" : `"Failed":${JSON.stringify(failed)}`;
  return `{${good}${good === "" || bad === "" ? "" : ","}${bad}}`;
}

function listOf<Element>(elements: Element[], write: (element: Element) => string): string {
  let list = "";
  for (let index = 0; index < elements.length; index++) {
    list += `${index === 0 ? "[" : ","}${write(elements[index] as Element)}`;
  }
  return `${list}]`;
}
