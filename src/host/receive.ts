// One receive, from command to answer: hand out what is there, wait for a message if the caller wants to, move spent
// messages to the dead-letter queue, read the bodies, and let the answer go when all of it is durable. A caller that
// hangs up while it waits gets nothing and nothing is counted.

import type { Clock } from "../base/clock.ts";
import { accept, type Result } from "../base/result.ts";
import type { CommandOf, ReceivedMessage } from "../engine/command.ts";
import { decide, type Envelope, sequenceNumber, type TransferTarget } from "../engine/index.ts";
import type { Refusal } from "../engine/refusal.ts";
import type { EnvelopeOpener } from "./open-envelope.ts";
import { encodeReceiptHandle } from "./receipt-handle.ts";
import type { Shard } from "./shard.ts";
import type { Transfers } from "./transfers.ts";
import type { Waiter } from "./waiters.ts";

/** Where a receive goes, found anew at every try: the queue may have been changed or deleted meanwhile. */
export interface ReceiveRoute {
  shard: Shard;
  transfers: Transfers;
  partition: number;
  /** The queue's own long-poll time. */
  waitMs: number;
  deadLetterTarget: TransferTarget | undefined;
}

/**
 * What a row is for the one who receives: read within the turn that handed it out, since the row may change after it.
 * The body may have to come from the disk.
 */
export type ReadRow<Message> = (shard: Shard, partition: number, slot: number) => Message | Promise<Message>;

type ReceiveResult<Message> = Result<{ messages: Message[] }, Refusal>;

/** What one try came to: an answer on its way, or nothing to hand out, for good or until the next step. */
type Attempt<Message> =
  | { is: "done"; result: Promise<ReceiveResult<Message>> }
  | { is: "empty" | "unfinished"; moved: Moved };

/** Steps over spent messages, each under a millisecond: a receive that meets a few hundred is over at once. */
const STEPS_PER_TURN = 5;

/** Transfers that a receive started: up to this one (0: none), and the log entry that they are in. */
interface Moved {
  upTo: number;
  dependsOn: number;
}

const NOTHING_MOVED: Moved = { upTo: 0, dependsOn: 0 };

export function receiveMessages<Message>(
  command: CommandOf<"receiveMessages">,
  route: () => Result<ReceiveRoute, Refusal>,
  read: ReadRow<Message>,
  clock: Clock,
  caller: { readonly signal?: AbortSignal },
): Promise<ReceiveResult<Message>> {
  const found = route();
  if (!found.ok) return Promise.resolve(found);
  const waitMs = command.waitMs ?? found.value.waitMs;
  const first = attempt(command, found.value, read, waitMs > 0, NOTHING_MOVED);
  if (first.is === "done") return first.result;
  if (first.is === "empty" && waitMs === 0) return empty(found.value, first.moved);
  // Not before it waits: a caller may make its signal when that is read, which costs as much as the receive.
  const { signal } = caller;
  const untilMs = clock.nowMs() + waitMs;
  if (first.is === "unfinished") return goOn(command, route, read, untilMs, clock, signal, found.value, first.moved);
  if (signal?.aborted) return empty(found.value, first.moved);
  return wait(command, route, read, found.value, untilMs, clock, signal);
}

/**
 * Messages that nobody gets are in the way: spent ones are moved and expired ones removed step by step, with other
 * work between the steps, however many there are. Whoever waits does so when there are no more.
 */
async function goOn<Message>(
  command: CommandOf<"receiveMessages">,
  route: () => Result<ReceiveRoute, Refusal>,
  read: ReadRow<Message>,
  untilMs: number,
  clock: Clock,
  signal: AbortSignal | undefined,
  firstRoute: ReceiveRoute,
  firstMoved: Moved,
): Promise<ReceiveResult<Message>> {
  let at = firstRoute;
  let moved = firstMoved;
  while (!signal?.aborted) {
    await new Promise((resolve) => setImmediate(resolve));
    const found = route();
    if (!found.ok) return found;
    if (found.value.shard !== at.shard) moved = NOTHING_MOVED;
    at = found.value;
    const waits = untilMs > clock.nowMs();
    const next = attempt(command, at, read, waits, moved);
    if (next.is === "done") return next.result;
    moved = next.moved;
    if (next.is === "unfinished") continue;
    if (!waits || signal?.aborted) break;
    return wait(command, route, read, at, untilMs, clock, signal);
  }
  return empty(at, moved);
}

/** Long polling: tries again whenever something may have become available, in order of arrival among the waiters. */
function wait<Message>(
  command: CommandOf<"receiveMessages">,
  route: () => Result<ReceiveRoute, Refusal>,
  read: ReadRow<Message>,
  at: ReceiveRoute,
  untilMs: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<ReceiveResult<Message>> {
  const { shard } = at;
  return new Promise((resolve, reject) => {
    const stopListening = () => signal?.removeEventListener("abort", hangUp);
    const waiter: Waiter = {
      partition: at.partition,
      attempt() {
        try {
          const found = route();
          const result = found.ok ? attempt(command, found.value, read, true, NOTHING_MOVED) : undefined;
          if (result?.is === "unfinished") shard.serveLater(at.partition);
          if (result !== undefined && result.is !== "done") return false;
          resolve(result === undefined ? (found as ReceiveResult<Message>) : result.result);
        } catch (error) {
          // It runs in somebody else's turn: the error is this waiter's alone.
          reject(error);
        }
        stopListening();
        return true;
      },
      giveUp() {
        stopListening();
        resolve(empty(at, NOTHING_MOVED));
      },
      fail(error) {
        stopListening();
        reject(error);
      },
    };
    const end = () => {
      shard.waiters.remove(waiter);
      waiter.giveUp();
    };
    const hangUp = () => end();
    signal?.addEventListener("abort", hangUp, { once: true });
    waiter.timer = clock.setTimer(untilMs, end);
    shard.waiters.add(waiter);
    shard.watch();
  });
}

/** What may be done in one turn of the event loop. `earlier` is what those before it moved. */
function attempt<Message>(
  command: CommandOf<"receiveMessages">,
  route: ReceiveRoute,
  read: ReadRow<Message>,
  waits: boolean,
  earlier: Moved,
): Attempt<Message> {
  let moved = earlier;
  for (let step = 0; step < STEPS_PER_TURN; step++) {
    const next = attemptStep(command, route, read, waits, moved);
    if (next.is !== "unfinished") return next;
    // It is time that has more to do, and takes its next step in the next turn.
    if (next.moved === moved) break;
    moved = next.moved;
  }
  return { is: "unfinished", moved };
}

function attemptStep<Message>(
  command: CommandOf<"receiveMessages">,
  route: ReceiveRoute,
  read: ReadRow<Message>,
  waits: boolean,
  earlier: Moved,
): Attempt<Message> {
  const { shard, transfers, partition, deadLetterTarget } = route;
  const transfersBefore = shard.state.nextTransferId;
  const { answer: taken, dependsOn } = shard.run((state, record) => {
    const answer = decide<"receiveMessages">(
      state,
      {
        kind: "receiveMessages",
        partition,
        messagesMax: command.messagesMax,
        visibilityTimeoutMs: command.visibilityTimeoutMs,
        attemptId: command.attemptId,
        waits,
        deadLetterTarget,
      },
      record,
    );
    // Rows are read at once: what follows in this turn, such as another waiter's receive, may change them.
    const pending = answer.ok ? answer.value.slots.map((slot) => read(shard, partition, slot)) : [];
    return { answer, pending, nextTransferId: state.nextTransferId };
  });
  const { answer, pending, nextTransferId } = taken;
  const moved = nextTransferId > transfersBefore ? { upTo: nextTransferId - 1, dependsOn } : earlier;
  if (!answer.ok) return { is: "done", result: Promise.resolve(answer) };
  if (pending.length > 0) return { is: "done", result: handOut(shard, transfers, pending, dependsOn, moved) };
  return { is: answer.value.more ? "unfinished" : "empty", moved };
}

function handOut<Message>(
  shard: Shard,
  transfers: Transfers,
  pending: (Message | Promise<Message>)[],
  dependsOn: number,
  moved: Moved,
): Promise<ReceiveResult<Message>> {
  if (moved.upTo > 0 || !areAllHere(pending)) return handOutLater(shard, transfers, pending, dependsOn, moved);
  const result = accept({ messages: pending });
  return shard.whenDurable<ReceiveResult<Message>>(dependsOn, result) ?? Promise.resolve(result);
}

function areAllHere<Message>(pending: (Message | Promise<Message>)[]): pending is Message[] {
  for (const message of pending) if (message instanceof Promise) return false;
  return true;
}

/** When a body comes from the disk, or messages were moved on the way. */
async function handOutLater<Message>(
  shard: Shard,
  transfers: Transfers,
  pending: (Message | Promise<Message>)[],
  dependsOn: number,
  moved: Moved,
): Promise<ReceiveResult<Message>> {
  // A body that cannot be read is reported below; the log may fail first.
  for (const message of pending) if (message instanceof Promise) message.catch(() => undefined);
  await shard.whenDurable(dependsOn);
  if (moved.upTo > 0) await transfers.settled(moved.upTo);
  const messages: Message[] = [];
  for (const message of pending) messages.push(message instanceof Promise ? await message : message);
  return accept({ messages });
}

/** An empty answer that comes after the moves that this receive made. */
async function empty(route: ReceiveRoute, moved: Moved): Promise<ReceiveResult<never>> {
  if (moved.upTo > 0) {
    await route.shard.whenDurable(moved.dependsOn);
    await route.transfers.settled(moved.upTo);
  }
  return accept({ messages: [] });
}

/** For those who receive over SQS. */
export function messageReader(opener: EnvelopeOpener): ReadRow<ReceivedMessage> {
  return (shard, partition, slot) => {
    const row = readRow(shard, partition, slot);
    const bytes = shard.readEnvelope(slot);
    const envelope = bytes instanceof Promise ? bytes.then((read) => opener.open(read)) : opener.open(bytes);
    return envelope instanceof Promise ? envelope.then((open) => compose(row, open)) : compose(row, envelope);
  };
}

interface Row {
  receiptHandle: string;
  receiveCount: number;
  firstReceivedAtMs: number;
  groupId: string;
  sequenceNumber: string | undefined;
  originArn: string;
}

function readRow(shard: Shard, id: number, slot: number): Row {
  const { state } = shard;
  const { table } = state;
  const partition = state.partition(id);
  const seq = table.seq.get(slot);
  return {
    receiptHandle: encodeReceiptHandle(id, slot, seq, table.receiveSeq.get(slot)),
    receiveCount: table.receiveCount.get(slot),
    firstReceivedAtMs: table.firstReceivedAtMs.get(slot),
    groupId: partition.groupOf(slot).id,
    sequenceNumber: partition.config.fifo ? sequenceNumber(seq) : undefined,
    originArn: state.origins[table.origin.get(slot)] as string,
  };
}

function compose(row: Row, envelope: Envelope): ReceivedMessage {
  const { messageId, sentAtMs, senderId, content, deduplicationId } = envelope;
  const message: ReceivedMessage = {
    messageId,
    receiptHandle: row.receiptHandle,
    content,
    senderId,
    sentAtMs,
    firstReceivedAtMs: row.firstReceivedAtMs,
    receiveCount: row.receiveCount,
  };
  if (row.groupId !== "") message.groupId = row.groupId;
  if (deduplicationId !== undefined) message.deduplicationId = deduplicationId;
  if (row.sequenceNumber !== undefined) message.sequenceNumber = row.sequenceNumber;
  if (row.originArn !== "") message.deadLetterSourceArn = row.originArn;
  return message;
}
