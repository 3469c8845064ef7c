// Every scenario, in the order in which they run and are shown.

import { depth, depthFifo } from "./depth.ts";
import { idlePolls } from "./idle-polls.ts";
import { delayChurn, visibilityChurn } from "./in-flight.ts";
import { longPollLatency } from "./latency.ts";
import { memory } from "./memory.ts";
import type { Scenario } from "./scenario.ts";
import { restart, start } from "./starts.ts";
import { throughput } from "./throughput.ts";

const SMALL = 256;
const LARGE = 16 * 1024;
/** One group gives its messages to one consumer at a time, so more connections would only get empty answers. */
const ONE_CONSUMER = [1];

export const SCENARIOS: readonly Scenario[] = [
  throughput({
    name: "send",
    title: "SendMessage, 256 B",
    work: { kind: "send", bodyBytes: SMALL, batch: 1 },
    queue: "fresh",
  }),
  throughput({
    name: "send-16k",
    title: "SendMessage, 16 KB",
    work: { kind: "send", bodyBytes: LARGE, batch: 1 },
    queue: "fresh",
  }),
  throughput({
    name: "batch",
    title: "SendMessageBatch of 10, 256 B",
    work: { kind: "send", bodyBytes: SMALL, batch: 10 },
    queue: "fresh",
  }),
  throughput({
    name: "receive-1",
    title: "Receive one + delete, 256 B",
    work: { kind: "receive", bodyBytes: SMALL, count: 1 },
    queue: "backlog",
  }),
  throughput({
    name: "receive-10",
    title: "ReceiveMessage(10) + DeleteMessageBatch, 256 B",
    work: { kind: "receive", bodyBytes: SMALL, count: 10 },
    queue: "backlog",
  }),
  longPollLatency,
  throughput({
    name: "send-query",
    title: "SendMessage, 256 B, Query protocol",
    work: { kind: "send", bodyBytes: SMALL, batch: 1 },
    queue: "fresh",
    protocol: "query",
  }),
  throughput({
    name: "receive-query",
    title: "Receive one + delete, 256 B, Query protocol",
    work: { kind: "receive", bodyBytes: SMALL, count: 1 },
    queue: "backlog",
    protocol: "query",
  }),
  ...[1, 100, 100_000].flatMap((groups) => [
    throughput({
      name: `fifo-send-${groups}`,
      title: `FIFO, ${groups.toLocaleString("en")} ${groups === 1 ? "group" : "groups"}: SendMessage, 256 B`,
      work: { kind: "send", bodyBytes: SMALL, batch: 1, groups },
      queue: "fresh",
      isFifo: true,
      isComparable: false,
    }),
    throughput({
      name: `fifo-receive-${groups}`,
      title: `FIFO, ${groups.toLocaleString("en")} ${groups === 1 ? "group" : "groups"}: receive one + delete`,
      work: { kind: "receive", bodyBytes: SMALL, count: 1 },
      queue: "backlog",
      isFifo: true,
      groups,
      isComparable: false,
      backlogMin: groups,
      ...(groups === 1 ? { connections: ONE_CONSUMER } : groups === 100 ? { connections: [1, 16, 64] } : {}),
    }),
  ]),
  delayChurn,
  visibilityChurn,
  idlePolls(1000),
  idlePolls(10_000),
  depth,
  depthFifo,
  memory,
  start,
  restart,
];
