// Messages of the link as bytes. What queues do all day is described field by field; everything else goes as V8 has it.
//
//   message = kind u8 | id u32 | what belongs to the kind

import type { ByteReader, ByteWriter } from "../../base/bytes.ts";
import type {
  AnswerOf,
  Command,
  CommandKind,
  CommandOf,
  MessageAttribute,
  MessageContent,
  Outcome,
  QueueKey,
  ReceivedMessage,
  SendEntry,
  SentMessage,
} from "../../engine/command.ts";
import type { Answered, Asked } from "./messages.ts";
import {
  always,
  anything,
  bytes,
  list,
  number,
  type Packed,
  record,
  result,
  text,
  textOrBytes,
  yesNo,
} from "./packed.ts";

const queue = record<QueueKey>({ account: text, region: text, name: text });

const content = record<MessageContent>(
  {
    body: bytes,
    bodyMd5: bytes,
    attributes: list(record<MessageAttribute>({ name: text, dataType: text, value: textOrBytes })),
  },
  { traceHeader: text },
);

const sendEntry = record<SendEntry>(
  { content, sizeBytes: number },
  { delayMs: number, groupId: text, deduplicationId: text, contentDeduplicationId: text },
);

const receivedMessage = record<ReceivedMessage>(
  {
    messageId: text,
    receiptHandle: text,
    content,
    senderId: text,
    sentAtMs: number,
    firstReceivedAtMs: number,
    receiveCount: number,
  },
  { groupId: text, deduplicationId: text, sequenceNumber: text, deadLetterSourceArn: text },
);

const sentMessage = record<SentMessage>({ messageId: text }, { sequenceNumber: text });

/** In the order of their numbers on the link. */
const HOT = ["sendMessages", "receiveMessages", "deleteMessages"] as const;
type Hot = (typeof HOT)[number];

const commands: { [Kind in Hot]: Packed<CommandOf<Kind>> } = {
  sendMessages: record<CommandOf<"sendMessages">>({
    kind: always("sendMessages"),
    queue,
    senderId: text,
    batch: yesNo,
    entries: list(sendEntry),
  }),
  receiveMessages: record<CommandOf<"receiveMessages">>(
    { kind: always("receiveMessages"), queue, messagesMax: number },
    { visibilityTimeoutMs: number, waitMs: number, attemptId: text },
  ),
  deleteMessages: record<CommandOf<"deleteMessages">>({
    kind: always("deleteMessages"),
    queue,
    receiptHandles: list(text),
  }),
};

const answers: { [Kind in Hot]: Packed<AnswerOf<Kind>> } = {
  sendMessages: record<AnswerOf<"sendMessages">>({ entries: list(result(sentMessage)) }),
  receiveMessages: record<AnswerOf<"receiveMessages">>({ messages: list(receivedMessage) }),
  deleteMessages: record<AnswerOf<"deleteMessages">>({ entries: list(result(always(null))) }),
};

/** By number; the last of each is for all other kinds. */
const commandsByNumber = [...HOT.map((kind) => commands[kind]), anything] as Packed<Command>[];
const outcomesByNumber = [
  ...HOT.map((kind) => result(answers[kind] as Packed<unknown>)),
  anything,
] as Packed<Outcome>[];

/** The kinds of messages on the link. Commands and outcomes have one for each number from theirs on. */
const KIND = { other: 0, hungUp: 1, waits: 2, command: 8, outcome: 16 } as const;

function numberOf(kind: CommandKind | undefined): number {
  const index = HOT.indexOf(kind as Hot);
  return index < 0 ? HOT.length : index;
}

export function writeMessage(to: ByteWriter, message: Asked | Answered): void {
  switch (message.kind) {
    case "command": {
      const number = numberOf(message.command.kind);
      head(to, KIND.command + number, message.id);
      return (commandsByNumber[number] as Packed<Command>).write(to, message.command);
    }
    case "outcome": {
      const number = numberOf(message.of);
      head(to, KIND.outcome + number, message.id);
      return (outcomesByNumber[number] as Packed<Outcome>).write(to, message.outcome);
    }
    case "hungUp":
    case "waits":
      return head(to, KIND[message.kind], message.id);
    default:
      head(to, KIND.other, message.id);
      return anything.write(to, message);
  }
}

export function readMessage(from: ByteReader): Asked | Answered {
  const kind = from.u8();
  const id = from.u32();
  if (kind === KIND.hungUp) return { kind: "hungUp", id };
  if (kind === KIND.waits) return { kind: "waits", id };
  if (kind === KIND.other) return anything.read(from) as Asked | Answered;
  if (kind < KIND.outcome) {
    const command = (commandsByNumber[kind - KIND.command] as Packed<Command>).read(from);
    return { kind: "command", id, command };
  }
  const number = kind - KIND.outcome;
  const outcome = (outcomesByNumber[number] as Packed<Outcome>).read(from);
  return { kind: "outcome", id, outcome };
}

function head(to: ByteWriter, kind: number, id: number): void {
  to.u8(kind);
  to.u32(id);
}
