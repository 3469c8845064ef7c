// All commands, in the order in which help shows them. Each is loaded when it is asked for: a server starts without
// waiting for the commands that it is not.

import type { CommandEntry } from "./command.ts";

export const commands: readonly CommandEntry[] = [
  {
    name: "serve",
    operands: "",
    summary: "Run the server",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "dev",
    operands: "",
    summary: "Run what a config file declares",
    load: async () => (await import("./dev.ts")).dev,
  },
  {
    name: "queue ls",
    operands: "",
    summary: "List queues with their counts",
    load: async () => (await import("./queue-ls.ts")).queueLs,
  },
  {
    name: "queue create",
    operands: "NAME",
    summary: "Create a queue, with a dead-letter queue if you like",
    load: async () => (await import("./queue-create.ts")).queueCreate,
  },
  {
    name: "queue send",
    operands: "NAME BODY",
    summary: "Send a message; BODY - reads it from standard input",
    load: async () => (await import("./queue-send.ts")).queueSend,
  },
  {
    name: "queue receive",
    operands: "NAME",
    summary: "Receive messages; they come back unless deleted",
    load: async () => (await import("./queue-receive.ts")).queueReceive,
  },
  {
    name: "queue peek",
    operands: "NAME",
    summary: "Look at messages in every state without consuming any",
    load: async () => (await import("./queue-peek.ts")).queuePeek,
  },
  {
    name: "queue purge",
    operands: "NAME",
    summary: "Delete all messages of a queue",
    load: async () => (await import("./queue-purge.ts")).queuePurge,
  },
  {
    name: "queue rm",
    operands: "NAME",
    summary: "Delete a queue and all messages in it",
    load: async () => (await import("./queue-rm.ts")).queueRm,
  },
  {
    name: "queue redrive",
    operands: "NAME",
    summary: "Move a dead-letter queue's messages back to work",
    load: async () => (await import("./queue-redrive.ts")).queueRedrive,
  },
  {
    name: "topic ls",
    operands: "",
    summary: "List topics with their subscriptions",
    load: async () => (await import("./topic-ls.ts")).topicLs,
  },
  {
    name: "topic create",
    operands: "NAME",
    summary: "Create a topic",
    load: async () => (await import("./topic-create.ts")).topicCreate,
  },
  {
    name: "topic subscribe",
    operands: "NAME TO",
    summary: "Subscribe a queue, a URL, an address or a function",
    load: async () => (await import("./topic-subscribe.ts")).topicSubscribe,
  },
  {
    name: "topic publish",
    operands: "NAME TEXT",
    summary: "Publish a message; TEXT - reads standard input",
    load: async () => (await import("./topic-publish.ts")).topicPublish,
  },
  {
    name: "topic show",
    operands: "NAME",
    summary: "Show who subscribed and why nothing arrives",
    load: async () => (await import("./topic-show.ts")).topicShow,
  },
  {
    name: "function ls",
    operands: "",
    summary: "List functions and how often they ran",
    load: async () => (await import("./function-ls.ts")).functionLs,
  },
  {
    name: "function logs",
    operands: "NAME",
    summary: "Show what a function has printed lately",
    load: async () => (await import("./function-logs.ts")).functionLogs,
  },
  {
    name: "esm ls",
    operands: "",
    summary: "List event source mappings with what they do",
    load: async () => (await import("./esm-ls.ts")).esmLs,
  },
  {
    name: "esm show",
    operands: "ID",
    summary: "Show what an event source mapping does and has met",
    load: async () => (await import("./esm-show.ts")).esmShow,
  },
  {
    name: "work",
    operands: "-- PROGRAM …",
    summary: "Run as many workers as a queue needs",
    load: async () => (await import("./work.ts")).work,
  },
  {
    name: "log verify",
    operands: "",
    summary: "Check every byte of a data folder",
    load: async () => (await import("./log-verify.ts")).logVerify,
  },
  {
    name: "log dump",
    operands: "",
    summary: "Print the facts in a data folder's log",
    load: async () => (await import("./log-dump.ts")).logDump,
  },
];
