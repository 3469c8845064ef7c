// The audit: nothing is under way, the disk is well, and every queue is looked at. What is there must be what the
// books expect, and what they expect must be there; where the books were in doubt, what is found becomes the truth.
// And the state in memory must be what recovery would build from the log.

import { createHash } from "node:crypto";
import { isFault } from "../src/base/fault.ts";
import { dueTasks, encodeSnapshot, type ShardState } from "../src/engine/index.ts";
import type { MoveTask } from "../src/engine/queue/move-task.ts";
import type { InspectedMessage } from "../src/host/index.ts";
import { recoverShard } from "../src/host/recovery.ts";
import type { Shard } from "../src/host/shard.ts";
import { type Books, DEDUPLICATION_WINDOW_MS, type MessageBook, type QueueBook } from "./books.ts";
import { checkContent, checkPlace, deduplicationKey } from "./checks.ts";
import type { Clients } from "./clients.ts";
import { compareTopics, learnCopy, lookAtTopics } from "./topics/topic-audit.ts";
import { checkEithers } from "./topics/topic-checks.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const COMPARISONS_MAX = 5;
/** Every so many audits the state is compared with the log, which is half of an audit's work. */
const COMPARED_AUDITS = 3;

interface Looked {
  queue: QueueBook;
  messages: InspectedMessage[] | undefined;
  attributes: Record<string, string> | undefined;
}

/** False when the server died meanwhile: the doubts stay. */
export async function audit(world: World, books: Books, clients: Clients): Promise<boolean> {
  world.heal();
  clients.hangUp();
  if (!(await world.until(() => world.openCallCount === 0, "every request is answered"))) return false;
  if (!(await isQuiet(world))) return false;
  // A deliverer may have begun something meanwhile.
  if (!world.isSteady || world.host?.shards.some((shard) => !isAtRest(shard)) === true) return false;
  const atMs = world.nowMs;
  // Deliveries go on while bodies are being read: what they add to the books is for the next time.
  const known = [...books.messages.values()];
  const looking = look(world, books);
  const lookingAtTopics = lookAtTopics(world, books);
  // As of now: a task may end while the bodies are being read.
  const tasks = runningTasks(world);
  const looked = await world.outcomeOf(
    looking.catch((error: unknown) => world.judge(error)),
    "every queue can be looked at",
  );
  if (looked?.value === undefined) return false;
  const topics = await world.outcomeOf(
    lookingAtTopics.catch((error: unknown) => world.judge(error)),
    "every topic can be looked at",
  );
  if (topics?.value === undefined) return false;
  world.note(
    `audit: ${looked.value.map(({ queue, messages }) => `${queue.name} ${messages?.length ?? "-"}`).join(", ")}`,
  );
  compareTopics(world, books, topics.value);
  compare(books, looked.value, known, atMs);
  keepExits(books, tasks);
  books.hasDoubts = false;
  world.auditCount += 1;
  const compares = world.comparesStates && world.auditCount % COMPARED_AUDITS === 0;
  return compares ? compareWithLog(world) : true;
}

/**
 * All shards serve, and nothing is on its way to the disk or to another queue. Not by the host's own `settle`: that of
 * a server that dies meanwhile would go round for ever.
 */
async function isQuiet(world: World): Promise<boolean> {
  const { host } = world;
  if (host === undefined) return false;
  if (!(await world.until(() => host.shards.every(isServing), "a shard serves again"))) return false;
  return world.until(() => host.shards.filter((shard) => !isAtRest(shard)).length === 0, "work comes to an end");
}

function isServing(shard: Shard): boolean {
  return shard.mode === "serving";
}

function isAtRest(shard: Shard): boolean {
  if (!isServing(shard)) return false;
  if (shard.isIdle && shard.state.outbox.size === 0 && dueTasks(shard.state).length === 0) return true;
  // What time has made due is done with the next request, and this is one.
  shard.run(() => undefined);
  return false;
}

/** All in one turn: one moment for all queues. */
async function look(world: World, books: Books): Promise<Looked[]> {
  const { host } = world;
  if (host === undefined) return [];
  return Promise.all(
    [...books.queues.values()].map(async (queue) => {
      const looking = host.inspect(queue.key, 1_000_000);
      const asking = host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue: queue.key });
      const messages = await looking;
      const outcome = await asking;
      return { queue, messages, attributes: outcome.ok ? outcome.value.attributes : undefined };
    }),
  );
}

function compare(books: Books, looked: Looked[], known: MessageBook[], atMs: number): void {
  const found = new Map<MessageBook, QueueBook>();
  for (const { queue, attributes } of looked) learnQueue(queue, attributes);
  for (const { queue, messages } of looked) {
    for (const message of messages ?? []) checkFound(books, queue, message, atMs, found);
  }
  checkEithers(books, (message) => found.has(message) || mayBeMissing(books, message, atMs));
  for (const message of known) {
    if (!found.has(message)) checkMissing(books, message, atMs);
  }
  for (const { id, candidates } of books.either) {
    const isExplained = candidates.some((message) => message.gone !== undefined && message.fate === "either");
    if (!isExplained)
      throw new Violation("nothing acknowledged is lost", `${id}, one of ${candidates.map(({ label }) => label)}`);
  }
  books.either = [];
  for (const { queue, messages, attributes } of looked) {
    if (messages !== undefined && attributes !== undefined) checkCounts(queue, messages, attributes);
    queue.exits = [];
    queue.unclearReceives = 0;
    queue.emptiedBy = [];
    queue.retentionMsMin = queue.shape.retentionMs;
    for (const [key, held] of queue.deduplication) {
      if (held.fromMs + DEDUPLICATION_WINDOW_MS <= atMs) queue.deduplication.delete(key);
    }
  }
  for (const [message, queue] of found)
    if (message.stay.queue !== queue) throw new Error("a message is booked elsewhere");
}

function learnQueue(queue: QueueBook, attributes: Record<string, string> | undefined): void {
  if (attributes === undefined) {
    if (queue.exists === "yes") throw new Violation("a queue stays", `${queue.name} is gone`);
    queue.exists = "no";
    return;
  }
  if (queue.exists === "no") throw new Violation("a deleted queue stays deleted", `${queue.name} is there`);
  queue.exists = "yes";
  const isAsked = (shapes: QueueBook["shapes"]) =>
    shapes.some((shape) => String(shape.retentionMs / 1000) === attributes.MessageRetentionPeriod);
  if (!isAsked(queue.shapes))
    throw new Violation("attributes are as they were set", `${queue.name}'s retention is not`);
  queue.learn(attributes);
}

function checkFound(
  books: Books,
  queue: QueueBook,
  seen: InspectedMessage,
  atMs: number,
  found: Map<MessageBook, QueueBook>,
): void {
  const message = checkContent(books, seen);
  const { label } = message;
  const other = found.get(message);
  if (other !== undefined) {
    throw new Violation("a message is never in two places", `${label} is in ${other.name} and in ${queue.name}`);
  }
  if (message.gone !== undefined) {
    throw new Violation("what is gone stays gone", `${label} is in ${queue.name} although it is ${message.gone.why}`);
  }
  const stay = message.stay;
  const expiresHighMs = message.expiresHighMs;
  checkPlace(books, message, queue, seen.messageId);
  found.set(message, queue);
  const hasStayed = message.stay === stay;
  if (hasStayed && expiresHighMs <= atMs) {
    throw new Violation("retention ends", `${label} is still there ${atMs - expiresHighMs} ms after it`);
  }
  const countMax = message.count + queue.unclearReceives;
  if (hasStayed && (seen.receiveCount < message.count || seen.receiveCount > countMax)) {
    throw new Violation(
      "receive counts are what was received",
      `${label} has ${seen.receiveCount}, received were ${message.count} to ${countMax}`,
    );
  }
  if (hasStayed) checkStanding(queue, message, seen, atMs);
  if (message.copy !== undefined) learnCopy(message, seen, atMs);
  if (message.sequence !== undefined && seen.sequenceNumber !== message.sequence) {
    throw new Violation("sequence numbers", `${label} was ${message.sequence} and is ${seen.sequenceNumber}`);
  }
  learnMessage(queue, message, seen, atMs);
}

function checkStanding(queue: QueueBook, message: MessageBook, seen: InspectedMessage, atMs: number): void {
  const { label } = message;
  if (message.hiddenLowMs > atMs && seen.state !== "inFlight" && queue.unclearReceives === 0) {
    throw new Violation(
      "a message in flight stays so",
      `${label} is ${seen.state}, ${message.hiddenLowMs - atMs} ms early`,
    );
  }
  if (seen.state === "inFlight" && message.hiddenHighMs <= atMs && queue.unclearReceives === 0) {
    throw new Violation("visibility timeouts end", `${label} is in flight, ${atMs - message.hiddenHighMs} ms too long`);
  }
  if (message.readyLowMs > atMs && seen.state !== "delayed") {
    throw new Violation("delays last", `${label} is ${seen.state}, ${message.readyLowMs - atMs} ms early`);
  }
  if (seen.state === "delayed" && message.readyHighMs <= atMs) {
    throw new Violation("delays end", `${label} is delayed, ${atMs - message.readyHighMs} ms too long`);
  }
}

function learnMessage(queue: QueueBook, message: MessageBook, seen: InspectedMessage, atMs: number): void {
  message.mayBeGone = undefined;
  message.count = seen.receiveCount;
  message.sequence = seen.sequenceNumber;
  if (seen.firstReceivedAtMs !== undefined) message.firstReceivedAtMs = seen.firstReceivedAtMs;
  const visibleAtMs = seen.visibleAtMs ?? 0;
  message.hiddenLowMs = seen.state === "inFlight" ? visibleAtMs : 0;
  message.hiddenHighMs = message.hiddenLowMs;
  message.hiddenBy = { is: "delivery", count: message.count };
  message.readyLowMs = seen.state === "delayed" ? visibleAtMs : 0;
  message.readyHighMs = message.readyLowMs;
  message.version += 1;
  // It is there, so whatever retention was in force has not ended yet.
  message.expiresLowMs = Math.max(atMs, message.retainFromLowMs + queue.shape.retentionMs);
  message.expiresHighMs = Math.max(atMs, message.retainFromHighMs + queue.shape.retentionMs);
}

/** It may have ended without anybody having been told. */
function mayBeMissing(books: Books, message: MessageBook, atMs: number): boolean {
  const reachable = [...books.reachable(message)];
  const retentionMsMin = Math.min(...reachable.map((queue) => queue.retentionMsMin));
  const mayHaveExpired =
    message.expiresLowMs <= atMs || (reachable.length > 1 && message.retainFromLowMs + retentionMsMin <= atMs);
  const wentWithAnother = reachable.some(
    (queue) => queue !== message.stay.queue && (queue.emptiedBy.length > 0 || queue.exists !== "yes"),
  );
  const isQueueGone = message.stay.queue.exists === "no";
  return message.mayBeGone !== undefined || mayHaveExpired || wentWithAnother || isQueueGone;
}

function checkMissing(books: Books, message: MessageBook, atMs: number): void {
  if (message.gone !== undefined) return;
  // Of a delivery that may still be given up.
  if (message.fate === "unknown" && message.copy?.delivery?.isOver === false) return;
  const mayBeGone = mayBeMissing(books, message, atMs);
  if (message.fate === "owed" && !mayBeGone) {
    throw new Violation("every subscriber gets what was published", `${message.label} is nowhere`);
  }
  if (message.fate === "stored" && !mayBeGone) {
    throw new Violation(
      "nothing acknowledged is lost",
      `${message.label}, sent to ${message.stay.queue.name} as ${message.stay.messageId}, is nowhere`,
    );
  }
  if (message.copy !== undefined) return books.end(message, mayBeGone ? "gone" : "never there");
  if (message.fate === "unknown" && message.stay.queue.fifo && mayBeGone) {
    // Its deduplication id may be remembered although it is gone.
    const held = { message: undefined, fromMs: message.sentAtMs, isUnclear: true };
    message.sentTo.deduplication.set(deduplicationKey(message), held);
  }
  // It may be the one that an acknowledged id stands for.
  if ((message.fate === "either" || message.fate === "unknown") && mayBeGone) {
    message.fate = "either";
    return books.end(message, "gone or a repeat");
  }
  if (message.fate === "either") {
    message.fate = "duplicate";
    return books.end(message, "a repeat");
  }
  books.end(message, message.fate === "stored" ? "gone" : "never stored");
}

function checkCounts(queue: QueueBook, messages: InspectedMessage[], attributes: Record<string, string>): void {
  const count = (state: InspectedMessage["state"]) => messages.filter((message) => message.state === state).length;
  const said = [
    attributes.ApproximateNumberOfMessages,
    attributes.ApproximateNumberOfMessagesNotVisible,
    attributes.ApproximateNumberOfMessagesDelayed,
  ].join("/");
  const counted = [count("visible"), count("inFlight"), count("delayed")].join("/");
  if (said !== counted) throw new Violation("counts add up", `${queue.name} says ${said} and holds ${counted}`);
}

function runningTasks(world: World): MoveTask[] {
  const shards = world.host?.shards ?? [];
  return shards.flatMap(({ state }) => [...state.runningTasks.values()].map(({ task }) => task));
}

/** What a task still moves is on its way although nobody asks for it any more. */
function keepExits(books: Books, tasks: MoveTask[]): void {
  for (const { sourceArn, destinationArn } of tasks) {
    const source = [...books.queues.values()].find(({ arn }) => arn === sourceArn);
    if (source === undefined) continue;
    for (const { name, arn, fifo } of books.queues.values()) {
      const isTarget =
        destinationArn === undefined ? fifo === source.fifo && arn !== sourceArn : arn === destinationArn;
      if (isTarget) source.exitTo({ by: "task", target: name, receivesMax: 0 });
    }
  }
}

/** What recovery reads from snapshot and log is what is in memory. */
async function compareWithLog(world: World): Promise<boolean> {
  for (const shard of world.host?.shards ?? []) {
    for (let attempt = 1; attempt <= COMPARISONS_MAX; attempt++) {
      const outcome = await compareShard(world, shard);
      if (outcome === "died") return false;
      if (outcome === "same") break;
    }
  }
  return true;
}

/** `moving`: something was recorded meanwhile, so there is nothing to compare. */
async function compareShard(world: World, shard: Shard): Promise<"same" | "moving" | "died"> {
  if (shard.mode !== "serving") return "moving";
  const seq = shard.cut();
  const durable = shard.whenDurable(seq)?.then(
    () => true,
    () => false,
  );
  if (durable !== undefined) {
    const isDurable = await world.outcomeOf(durable, "what was recorded becomes durable");
    if (isDurable === undefined) return "died";
    if (!isDurable.value) return "moving";
  }
  const segmentsBefore = JSON.stringify(shard.storage.log.segments());
  world.isComparing = true;
  const recovering = recoverShard(shard.storage, { shard: shard.index, awsDelays: false }, () => undefined).then(
    ({ state }) => state,
    (error: Error) => error,
  );
  const recovered = await world.outcomeOf(recovering, "the log can be read");
  world.isComparing = false;
  if (recovered === undefined) return "died";
  const isStill =
    shard.mode === "serving" && shard.cut() === seq && JSON.stringify(shard.storage.log.segments()) === segmentsBefore;
  if (!isStill) return "moving";
  // A snapshot may be replaced while it is being looked for.
  if (isFault(recovered.value, "DiskFailed")) return "moving";
  if (recovered.value instanceof Error) throw new Violation("what was stored is readable", recovered.value.message);
  // Time that changed nothing is not recorded.
  recovered.value.nowMs = shard.state.nowMs;
  if (fingerprint(recovered.value) !== fingerprint(shard.state)) {
    throw new Violation("the log rebuilds the state", `shard ${shard.index} differs after entry ${seq}`);
  }
  return "same";
}

function fingerprint(state: ShardState): string {
  const hash = createHash("sha256");
  for (const chunk of encodeSnapshot(state)) hash.update(chunk);
  return hash.digest("hex");
}
