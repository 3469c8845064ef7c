// What one connection does again and again, for each kind of work. A step resolves with the number of messages it moved
// and throws when any answer is not the right one: status, entries, the MD5 of what was sent, the body that came back.

import { createHash } from "node:crypto";
import type { Exchange, HttpClient } from "./http-client.ts";
import { encode, expectCount, expectOk, type Input, type Protocol, readMessages } from "./sqs-protocol.ts";

export type Work =
  | { kind: "send"; bodyBytes: number; batch: number; groups?: number; delaySeconds?: Span }
  /** Receives up to `count` at once and deletes what came. */
  | { kind: "receive"; bodyBytes: number; count: number }
  /** Changes the visibility of messages that `handles` has in flight. */
  | { kind: "visibility"; timeoutSeconds: Span }
  /** Repeats the sizes of another work's step against the echo; one step counts as `messages`. */
  | { kind: "echo"; exchanges: Exchange[]; messages: number };

/** Both ends included. */
export type Span = readonly [from: number, to: number];

export interface HeldMessage {
  queueUrl: string;
  receiptHandle: string;
}

export interface StepWorld {
  protocol: Protocol;
  queueUrl: string;
  /** Of messages in flight, for "visibility". */
  held: readonly HeldMessage[];
}

export type Step = (client: HttpClient) => Promise<number>;

/** Bodies are mostly JSON within JSON, whose quotes both protocols escape. */
const FILLER = '{"order":4711,"sku":"pond"} ';
/** Told apart between the runs of one load process, so that no deduplication id comes twice. */
const runPrefix = `${process.pid.toString(36)}-${Date.now().toString(36)}`;
let nextId = 0;

/** Every message of a size has this body, so that a received one can be checked. */
export function bodyOf(bytes: number): string {
  return "".padEnd(bytes, FILLER);
}

export function makeStep(work: Work, world: StepWorld, encoder: HttpClient): Step {
  switch (work.kind) {
    case "send":
      return makeSend(work, world, encoder);
    case "receive":
      return makeReceive(work, world, encoder);
    case "visibility":
      return makeVisibility(work, world);
    case "echo":
      return makeEcho(work, encoder);
  }
}

/** One send, with what makes each one different: groups, deduplication ids, delays. */
export function sendInput(work: Work & { kind: "send" }, queueUrl: string): { action: string; input: Input } {
  const entry = (): Input => ({
    MessageBody: bodyOf(work.bodyBytes),
    ...(work.groups === undefined ? {} : fifoIds(work.groups)),
    ...(work.delaySeconds === undefined ? {} : { DelaySeconds: pick(work.delaySeconds) }),
  });
  if (work.batch === 1) return { action: "SendMessage", input: { QueueUrl: queueUrl, ...entry() } };
  const Entries = Array.from({ length: work.batch }, (_, index) => ({ Id: String(index), ...entry() }));
  return { action: "SendMessageBatch", input: { QueueUrl: queueUrl, Entries } };
}

function makeSend(work: Work & { kind: "send" }, { protocol, queueUrl }: StepWorld, encoder: HttpClient): Step {
  const md5 = Buffer.from(createHash("md5").update(bodyOf(work.bodyBytes)).digest("hex"));
  const make = () => {
    const { action, input } = sendInput(work, queueUrl);
    return encode(encoder, protocol, action, input);
  };
  const isConstant = work.groups === undefined && work.delaySeconds === undefined;
  const constant = isConstant ? make() : undefined;
  return async (client) => {
    expectCount(await client.send(constant ?? make()), md5, work.batch);
    return work.batch;
  };
}

function makeReceive(work: Work & { kind: "receive" }, world: StepWorld, encoder: HttpClient): Step {
  const { protocol, queueUrl } = world;
  const body = bodyOf(work.bodyBytes);
  const receive = encode(encoder, protocol, "ReceiveMessage", {
    QueueUrl: queueUrl,
    MaxNumberOfMessages: work.count,
    VisibilityTimeout: 600,
  });
  return async (client) => {
    const messages = readMessages(await client.send(receive), protocol);
    // A backlog is kept, so an empty answer is a wrong one; fewer than asked for is allowed by the protocol.
    if (messages.length === 0 || messages.length > work.count) throw new Error(`${messages.length} messages received`);
    for (const message of messages) if (message.body !== body) throw new Error(`a wrong body: ${message.body}`);
    await deleteAll(client, world, messages);
    return messages.length;
  };
}

async function deleteAll(
  client: HttpClient,
  { protocol, queueUrl }: StepWorld,
  messages: readonly { receiptHandle: string }[],
): Promise<void> {
  const [first] = messages;
  if (messages.length === 1 && first !== undefined) {
    const input = { QueueUrl: queueUrl, ReceiptHandle: first.receiptHandle };
    expectOk(await client.send(encode(client, protocol, "DeleteMessage", input)));
    return;
  }
  const Entries = messages.map(({ receiptHandle }, index) => ({ Id: `e${index}`, ReceiptHandle: receiptHandle }));
  expectOk(await client.send(encode(client, protocol, "DeleteMessageBatch", { QueueUrl: queueUrl, Entries })));
}

function makeVisibility(work: Work & { kind: "visibility" }, { protocol, held }: StepWorld): Step {
  return async (client) => {
    const { queueUrl, receiptHandle } = held[Math.floor(Math.random() * held.length)] as HeldMessage;
    const input = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: pick(work.timeoutSeconds) };
    expectOk(await client.send(encode(client, protocol, "ChangeMessageVisibility", input)));
    return 1;
  };
}

function makeEcho(work: Work & { kind: "echo" }, encoder: HttpClient): Step {
  const parts = work.exchanges.map(({ requestBytes, answerBytes }) => ({
    request: echoRequest(encoder, requestBytes, answerBytes),
    answerBytes,
  }));
  return async (client) => {
    for (const { request } of parts) expectOk(await client.send(request));
    return work.messages;
  };
}

/** A request of `requestBytes` in all, with an SDK's headers, whose path tells the echo the size of its answer. */
function echoRequest(encoder: HttpClient, requestBytes: number, answerBytes: number): Buffer {
  const like = encode(encoder, "json", "Echo", {}).toString("latin1").replace("POST / ", `POST /${answerBytes} `);
  const head = (bodyBytes: number) => like.slice(0, -2).replace(/content-length: \d+/, `content-length: ${bodyBytes}`);
  // The length's own digits are part of the length: two rounds settle it.
  let bodyBytes = Math.max(0, requestBytes - head(0).length);
  bodyBytes = Math.max(0, requestBytes - head(bodyBytes).length);
  return Buffer.from(head(bodyBytes) + "x".repeat(bodyBytes), "latin1");
}

function fifoIds(groups: number): Input {
  const id = nextId++;
  return { MessageGroupId: `g${id % groups}`, MessageDeduplicationId: `${runPrefix}-${id}` };
}

function pick([from, to]: Span): number {
  return from + Math.floor(Math.random() * (to - from + 1));
}
