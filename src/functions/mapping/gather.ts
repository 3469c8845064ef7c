// Puts a batch together: waits for the first message, then goes on until the batch is full, its window is over or the
// next message would make the request too large. Messages that pass no filter are deleted before they join.
//
// A FIFO queue gives a batch in one receive, and nothing more of its groups until the batch is settled.

import type { Clock } from "../../base/clock.ts";
import type { ReceivedMessage } from "../../engine/command.ts";
import { FUNCTION_REQUEST_BYTES_MAX } from "../../engine/function-limits.ts";
import { RECEIVE_MESSAGES_MAX, WAIT_MS_MAX } from "../../engine/limits.ts";
import { Batch, type HeldMessage, heldMessage } from "./batch.ts";
import type { Filter } from "./filter.ts";
import { lambdaRecord } from "./lambda-record.ts";
import type { SourceQueue } from "./ports.ts";

/** Receives at once when the queue is known to hold more: they share a commit. */
const RECEIVES_MAX = 10;

export interface Gathering {
  queue: SourceQueue;
  clock: Clock;
  eventSourceArn: string;
  batchSize: number;
  windowMs: number;
  filter: Filter;
  /** For this long they are ours. */
  heldMs: number;
  /** Undefined: the queue's own, which is `heldMs`. */
  visibilityTimeoutMs: number | undefined;
  /** Told of every receive that brought something. */
  onReceived: (received: number) => void;
  onFiltered: (deleted: number) => void;
  /** Told of what went wrong when there was something to go on with. */
  onTrouble: (error: unknown) => void;
}

export interface Gathered {
  /** Empty when nothing came. */
  batch: Batch;
  /** Messages that were received and are too large for this batch: they belong into the next one. */
  left: HeldMessage[];
}

/** Rejects as the queue does, when nothing was taken. When `signal` is aborted, what has come so far is the batch. */
export async function gather(gathering: Gathering, left: HeldMessage[], signal: AbortSignal): Promise<Gathered> {
  const batch = new Batch(gathering.batchSize);
  const join = (messages: HeldMessage[]): HeldMessage[] => messages.filter((message) => !batch.add(message));
  if (left.length > 0) {
    // They have been waiting for the batch before to end; the function gets the whole time for them.
    const { queue, clock, heldMs } = gathering;
    await queue.hold(
      left.map(({ receiptHandle }) => receiptHandle),
      heldMs,
    );
    for (const message of left) message.heldUntilMs = clock.nowMs() + heldMs;
    return { batch, left: join(left) };
  }
  const asked = Math.min(gathering.batchSize, RECEIVE_MESSAGES_MAX);
  const first = await receive(gathering, asked, WAIT_MS_MAX, signal);
  let rest = join(first.held);
  if (batch.isEmpty || gathering.queue.isFifo) return { batch, left: rest };
  const untilMs = gathering.clock.nowMs() + gathering.windowMs;
  let hasMore = first.count === asked;
  while (!batch.isFull && rest.length === 0 && !signal.aborted) {
    const waitMs = Math.min(untilMs - gathering.clock.nowMs(), WAIT_MS_MAX);
    if (!hasMore && waitMs <= 0) break;
    const asked = hasMore ? asksFor(batch) : [Math.min(batch.room, RECEIVE_MESSAGES_MAX)];
    const round = await receiveMany(gathering, asked, hasMore ? 0 : waitMs, signal);
    rest = join(round.held);
    if (round.hasFailed) break;
    hasMore = round.isFull;
  }
  return { batch, left: rest };
}

interface Round {
  held: HeldMessage[];
  /** As much came as was asked for: there may be more. */
  isFull: boolean;
  hasFailed: boolean;
}

async function receiveMany(gathering: Gathering, asked: number[], waitMs: number, signal: AbortSignal): Promise<Round> {
  const answers = await Promise.allSettled(asked.map((messagesMax) => receive(gathering, messagesMax, waitMs, signal)));
  const round: Round = { held: [], isFull: true, hasFailed: false };
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "rejected") {
      gathering.onTrouble(answer.reason);
      round.hasFailed = true;
    } else {
      round.held.push(...answer.value.held);
      round.isFull &&= answer.value.count === asked[index];
    }
  }
  return round;
}

/** One number for each receive: what the batch has room for, by count and by the size of what it has so far. */
function asksFor(batch: Batch): number[] {
  const messageBytes = batch.bytes / batch.messages.length;
  const roomByBytes = Math.max(1, Math.floor((FUNCTION_REQUEST_BYTES_MAX - batch.bytes) / messageBytes));
  let room = Math.min(batch.room, roomByBytes);
  const asked: number[] = [];
  while (room > 0 && asked.length < RECEIVES_MAX) {
    asked.push(Math.min(room, RECEIVE_MESSAGES_MAX));
    room -= RECEIVE_MESSAGES_MAX;
  }
  return asked;
}

async function receive(
  gathering: Gathering,
  messagesMax: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<{ held: HeldMessage[]; count: number }> {
  const { queue, clock, heldMs, visibilityTimeoutMs } = gathering;
  const override = visibilityTimeoutMs === undefined ? {} : { visibilityTimeoutMs };
  const messages = await queue.receive({ messagesMax, waitMs, ...override }, signal);
  if (messages.length === 0) return { held: [], count: 0 };
  gathering.onReceived(messages.length);
  const held = await filtered(gathering, messages, clock.nowMs() + heldMs);
  return { held, count: messages.length };
}

async function filtered(
  gathering: Gathering,
  messages: ReceivedMessage[],
  heldUntilMs: number,
): Promise<HeldMessage[]> {
  const held: HeldMessage[] = [];
  const unwanted: string[] = [];
  for (const message of messages) {
    const record = lambdaRecord(message, gathering.eventSourceArn);
    if (gathering.filter(record)) held.push(heldMessage(message, record, heldUntilMs));
    else unwanted.push(message.receiptHandle);
  }
  if (unwanted.length === 0) return held;
  try {
    await gathering.queue.delete(unwanted);
    gathering.onFiltered(unwanted.length);
  } catch (error) {
    // They come back and are filtered again.
    gathering.onTrouble(error);
  }
  return held;
}
