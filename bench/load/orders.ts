// What the load process can be asked to do, and what it answers. Orders and results cross a process boundary as JSON.

import type { Exchange } from "./http-client.ts";
import type { Protocol } from "./sqs-protocol.ts";
import type { Span, Work } from "./steps.ts";

export interface Target {
  endpoint: string;
  protocol: Protocol;
  /** The server's processes, whose processor time is read at both ends of a measurement. */
  serverPids: number[];
}

/** A closed loop: every connection asks again when it has its answer. */
export interface LoopOrder extends Target {
  kind: "loop";
  work: Work;
  queueUrl: string;
  connections: number;
  seconds: number;
  warmUpSeconds: number;
  /** Ends the measured time early after so many messages, so that a backlog keeps its depth. */
  messagesMax?: number;
}

export interface LoopResult {
  messages: number;
  seconds: number;
  /** Of one step. */
  p50Ms: number;
  p99Ms: number;
  serverCpuSeconds: number | undefined;
  loadCpuSeconds: number;
  /** Processor time of the whole machine, within the measured time. */
  machineBusySeconds: number | undefined;
  reconnects: number;
  /** Of one step, for the echo to repeat, and the messages it moved. */
  exchanges: Exchange[];
  stepMessages: number;
}

/** Creates a queue where it is absent and tops it up to `depth` messages; answers its URL. */
export interface FillOrder extends Target {
  kind: "fill";
  queue: string;
  attributes?: Record<string, string>;
  depth: number;
  bodyBytes: number;
  groups?: number;
  delaySeconds?: Span;
}

export interface FillResult {
  queueUrl: string;
  sent: number;
  seconds: number;
}

export interface DeleteQueueOrder extends Target {
  kind: "deleteQueue";
  queueUrl: string;
}

/** Receives `count` messages and holds them, for "visibility". Adds to those held; zero lets all go. */
export interface HoldOrder extends Target {
  kind: "hold";
  queueUrl: string;
  count: number;
}

/** Sends a message into each of `samples` waiting receives, one after the other. */
export interface LatencyOrder extends Target {
  kind: "latency";
  queueUrl: string;
  samples: number;
}

export interface LatencyResult {
  /** From the first byte of the send to the last of the receive's answer. */
  p50Ms: number;
  p99Ms: number;
}

/** Opens `connections` long polls on an empty queue and watches the server do nothing. */
export interface ParkOrder extends Target {
  kind: "park";
  queueUrl: string;
  connections: number;
  seconds: number;
}

export interface ParkResult {
  seconds: number;
  serverCpuSeconds: number | undefined;
}

export type Order = LoopOrder | FillOrder | DeleteQueueOrder | HoldOrder | LatencyOrder | ParkOrder;

export interface ResultOf {
  loop: LoopResult;
  fill: FillResult;
  deleteQueue: null;
  hold: null;
  latency: LatencyResult;
  park: ParkResult;
}
