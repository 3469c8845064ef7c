// The clients: each action of the plan becomes a request (or a misfortune), made from what the clients know at that
// moment, and its answer goes into the books. An action's choices come from its own seed.

import { Random } from "../src/base/random.ts";
import type { CommandOf, QueueKey } from "../src/engine/command.ts";
import { type Books, type DeliveryBook, type MessageBook, QueueBook, shapeOf } from "./books.ts";
import {
  checkDeleted,
  checkReceived,
  checkSent,
  checkVisibilityChanged,
  type HandleUse,
  type ReceiveBook,
  useHandle,
} from "./checks.ts";
import { type Action, type Plan, type QueuePlan, redrivePolicy } from "./plan.ts";
import { Requests } from "./requests.ts";
import type { Endpoints } from "./topics/endpoints.ts";
import { TopicClients } from "./topics/topic-clients.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

export const SCOPE = { account: "000000000000", region: "us-east-1" };
const BODY_MD5 = Buffer.alloc(16);
const MESSAGE_FIELD = '"Message" : "';
const HANDLES_KEPT = 200;
const REPEATABLE_KEPT = 30;
const POLLS_MAX = 8;

/** Something that a client will send again, since it never heard what came of it. */
interface Retry {
  queueName: string;
  groupId: string | undefined;
  deduplicationId: string | undefined;
}

export class Clients {
  readonly #world: World;
  readonly #books: Books;
  readonly #plan: Plan;
  readonly #requests: Requests;
  readonly #polls = new Set<AbortController>();
  readonly #retries: Retry[] = [];
  /** FIFO sends that may be repeated with the same deduplication id. */
  readonly #repeatable: Retry[] = [];
  #taskIds: { taskId: string; sourceArn: string }[] = [];
  operationCount = 0;

  readonly #topics: TopicClients;

  constructor(world: World, books: Books, endpoints: Endpoints) {
    this.#world = world;
    this.#books = books;
    this.#plan = world.plan;
    this.#requests = new Requests(world);
    this.#topics = new TopicClients(world, books, endpoints, this.#requests);
  }

  get topics(): TopicClients {
    return this.#topics;
  }

  async perform(action: Action): Promise<void> {
    const random = new Random(action.seed);
    const { kind } = action;
    const world = this.#world;
    this.operationCount += 1;
    switch (kind) {
      case "send":
        return this.#onQueue(random, (queue) => this.#send(queue, random, 1));
      case "sendBatch":
        return this.#onQueue(random, (queue) => this.#send(queue, random, 2 + random.below(9)));
      case "repeatSend":
        return this.#repeat(random);
      case "receive":
        return this.#onQueue(random, (queue) => this.receive(queue, random, 0));
      case "poll":
        return this.#onQueue(random, (queue) => this.#poll(queue, random));
      case "delete":
        return this.#useHandles(random, (queue, deliveries) => this.delete(queue, deliveries, random));
      case "changeVisibility":
        return this.#useHandles(random, (queue, deliveries) => this.#changeVisibility(queue, deliveries, random));
      case "purge":
        return this.#onQueue(random, (queue) => this.#purge(queue));
      case "deleteQueue":
        return this.#onQueue(random, (queue) => this.#deleteQueue(queue));
      case "createQueue":
        return this.createQueue(random.pick(this.#plan.queues));
      case "setAttributes":
        return this.#onQueue(random, (queue) => this.#setAttributes(queue, random));
      case "startMoveTask":
        return this.#onQueue(random, (queue) => this.#startMoveTask(queue, random));
      case "cancelMoveTask":
        return this.#cancelMoveTask(random);
      case "count":
        return this.#onQueue(random, (queue) => this.#count(queue));
      case "publish":
      case "publishBatch":
      case "repeatPublish":
      case "subscribe":
      case "confirm":
      case "unsubscribe":
      case "setFilter":
      case "createTopic":
      case "deleteTopic":
        return this.#topics.perform(kind, random);
      case "powerCut":
        return world.powerCut();
      case "powerCutSoon":
        return world.disk.stopAfter(1 + random.below(random.pick([5, 50])));
      case "kill":
        return world.kill();
      case "restart":
        return world.stop();
      case "failWrite":
        return world.disk.failNth("write", 1 + random.below(8));
      case "failSync":
        return world.disk.failNth("sync", 1 + random.below(8));
      case "fillDisk": {
        world.note("the disk is full for a while");
        world.disk.bytesMax = world.disk.usedBytes + random.below(2 * this.#plan.segmentBytesMax);
        world.time.setTimer(world.nowMs + random.below(60_000), () => world.heal());
        return;
      }
      case "audit":
        this.#books.hasDoubts = true;
        return;
    }
  }

  /** Retries wait until the books know what came of the first try. */
  retry(): void {
    for (const retry of this.#retries.splice(0)) {
      const queue = this.#books.queueOf(retry.queueName);
      if (queue?.exists === "yes") this.#sendEntries(queue, new Random(this.#requests.order), [retry]);
    }
    this.#topics.retry();
  }

  hangUp(): void {
    for (const poll of [...this.#polls]) poll.abort();
  }

  createQueue(queuePlan: QueuePlan): void {
    const existing = this.#books.queueOf(queuePlan.name);
    if (existing !== undefined && (existing.exists !== "no" || existing.isChanging)) return;
    const queue = new QueueBook({ ...SCOPE, name: queuePlan.name }, queuePlan.fifo, { ...queuePlan.attributes });
    // What had moved to its namesake went with that, or on from there.
    if (existing !== undefined) {
      queue.emptiedBy.push(...existing.emptiedBy);
      queue.exits.push(...existing.exits);
    }
    this.#books.queues.set(queue.name, queue);
    queue.isChanging = true;
    queue.changeOrder = this.#requests.order;
    const command = { queue: queue.key, attributes: queuePlan.attributes, tags: {} };
    this.#requests.call<"createQueue">({ kind: "createQueue", ...command }, queue.name, (outcome) => {
      queue.isChanging = false;
      if (outcome === undefined) this.#books.hasDoubts = true;
      else queue.exists = outcome.ok ? "yes" : "no";
      return outcome?.ok ? "ok" : outcome?.refusal.code;
    });
  }

  receive(queue: QueueBook, random: Random, waitMs: number, messagesMax = random.pick([1, 1, 3, 10])): void {
    const visibilityMs = random.pick([undefined, undefined, undefined, 0, 2000, 30_000]);
    const controller = new AbortController();
    const receive: ReceiveBook = {
      queue,
      order: this.#requests.order,
      invokedAtMs: this.#world.nowMs,
      answeredAtMs: 0,
      waits: waitMs > 0,
      messagesMax,
      visibilityLowMs: visibilityMs ?? queue.least((shape) => shape.visibilityMs),
      visibilityHighMs: visibilityMs ?? queue.most((shape) => shape.visibilityMs),
      hadCompany: queue.openReceives.size > 0,
    };
    for (const other of queue.openReceives) (other as ReceiveBook).hadCompany = true;
    queue.openReceives.add(receive);
    this.#noteExit(queue);
    if (waitMs > 0) {
      this.#polls.add(controller);
      const hangsUpAtMs = this.#world.nowMs + random.below(waitMs);
      if (random.chance(0.3)) this.#world.time.setTimer(hangsUpAtMs, () => controller.abort());
    }
    const command: CommandOf<"receiveMessages"> = { kind: "receiveMessages", queue: queue.key, messagesMax, waitMs };
    if (visibilityMs !== undefined) command.visibilityTimeoutMs = visibilityMs;
    const what = `${queue.name} ${messagesMax} wait ${waitMs} visibility ${visibilityMs ?? "-"}`;
    this.#requests.call<"receiveMessages">(
      command,
      what,
      (outcome) => {
        this.#polls.delete(controller);
        receive.answeredAtMs = this.#world.nowMs;
        this.#noteExit(queue);
        try {
          if (outcome === undefined) {
            queue.unclearReceives += 1;
            this.#books.hasDoubts = true;
            return undefined;
          }
          if (!outcome.ok) return outcome.refusal.code;
          const { messages } = outcome.value;
          const deliveries = checkReceived(this.#books, receive, messages);
          for (const { message } of deliveries) if (message.copy !== undefined) this.#world.counts.copiesReceived += 1;
          // Who hung up never saw it: nobody has these handles.
          if (!controller.signal.aborted) this.#keepHandles(deliveries);
          return messages.map(({ content, receiveCount }) => `${labelOf(content.body)}x${receiveCount}`).join(" ");
        } finally {
          queue.openReceives.delete(receive);
        }
      },
      controller.signal,
    );
  }

  delete(queue: QueueBook, deliveries: DeliveryBook[], random: Random): void {
    const uses = deliveries.map((delivery) => useHandle(this.#books, delivery, queue, this.#requests.order));
    const receiptHandles = deliveries.map(({ handle }) => handle);
    // Garbage among good ones is refused alone.
    const hasGarbage = random.chance(0.02);
    if (hasGarbage) receiptHandles.push("garbage");
    for (const { message } of deliveries) message.openEndings += 1;
    const what = `${queue.name} ${deliveries.map(({ message, count }) => `${message.label}x${count}`).join(" ")}`;
    this.#requests.call<"deleteMessages">(
      { kind: "deleteMessages", queue: queue.key, receiptHandles },
      what,
      (outcome) => {
        for (const { message } of deliveries) message.openEndings -= 1;
        if (outcome === undefined) {
          for (const { message } of deliveries) message.mayBeGone ??= "a delete that was not answered";
          this.#books.hasDoubts = true;
          return undefined;
        }
        if (!outcome.ok) return outcome.refusal.code;
        const { entries } = outcome.value;
        for (const [index, use] of uses.entries()) checkDeleted(this.#books, use, entryAt(entries, index));
        if (hasGarbage && entryAt(entries, uses.length).ok) throw new Violation("garbage is no handle", "it was taken");
        return entries.map((entry) => (entry.ok ? "ok" : entry.refusal.code)).join(" ");
      },
    );
  }

  #poll(queue: QueueBook, random: Random): void {
    if (this.#polls.size < POLLS_MAX) this.receive(queue, random, random.pick([1000, 5000, 20_000]));
  }

  #send(queue: QueueBook, random: Random, count: number): void {
    const entries: Retry[] = [];
    for (let index = 0; index < count; index++) {
      const hasGroup = queue.fifo || random.chance(0.2);
      entries.push({
        queueName: queue.name,
        groupId: hasGroup ? `g${random.below(this.#plan.groupCount)}` : undefined,
        deduplicationId: queue.fifo ? `d${this.#requests.order}-${index}` : undefined,
      });
    }
    this.#sendEntries(queue, random, entries);
  }

  #repeat(random: Random): void {
    if (this.#repeatable.length === 0) return;
    const repeat = random.pick(this.#repeatable);
    const queue = this.#books.queueOf(repeat.queueName);
    if (queue?.exists === "yes") this.#sendEntries(queue, random, [repeat]);
  }

  #sendEntries(queue: QueueBook, random: Random, entries: Retry[]): void {
    const order = this.#requests.order;
    const messages: MessageBook[] = [];
    const sendEntries: CommandOf<"sendMessages">["entries"] = [];
    for (const [index, { groupId, deduplicationId }] of entries.entries()) {
      const label = `m${order}-${index}`;
      const delayMs = !queue.fifo && random.chance(0.1) ? random.pick([1000, 10_000]) : undefined;
      const body = Buffer.from(`${label} ${"·".repeat(random.below(this.#plan.bodyBytesMax) / 2)}`);
      messages.push(this.#books.newMessage(queue, label, body, order, delayMs, { groupId, deduplicationId }));
      sendEntries.push({
        content: { body, bodyMd5: BODY_MD5, attributes: [] },
        sizeBytes: body.length,
        ...(delayMs === undefined ? {} : { delayMs }),
        ...(groupId === undefined ? {} : { groupId }),
        ...(deduplicationId === undefined ? {} : { deduplicationId }),
      });
    }
    const what = `${queue.name} ${messages.map(({ label, groupId, deduplicationId }) => [label, groupId, deduplicationId].filter(Boolean).join("/")).join(" ")}`;
    const batch = entries.length > 1;
    this.#requests.call<"sendMessages">(
      { kind: "sendMessages", queue: queue.key, senderId: "AIDASIM", batch, entries: sendEntries },
      what,
      (outcome) => {
        if (outcome === undefined) {
          this.#books.hasDoubts = true;
          for (const message of messages) if (message.fate === "open") message.fate = "unknown";
          if (random.chance(0.8)) this.#retries.push(...entries);
          return undefined;
        }
        if (!outcome.ok) {
          for (const message of messages) checkSent(this.#books, message, outcome);
          return outcome.refusal.code;
        }
        for (const [index, message] of messages.entries()) {
          checkSent(this.#books, message, entryAt(outcome.value.entries, index));
        }
        if (queue.fifo) this.#keepRepeatable(entries);
        return messages.map(({ fate }) => fate).join(" ");
      },
    );
  }

  #changeVisibility(queue: QueueBook, deliveries: DeliveryBook[], random: Random): void {
    const timeoutMs = random.pick([0, 0, 1000, 10_000, 60_000, 120_000]);
    const uses: HandleUse[] = [];
    for (const delivery of deliveries) {
      const { message } = delivery;
      uses.push(useHandle(this.#books, delivery, queue, this.#requests.order));
      const visibleAtMs = timeoutMs === 0 ? 0 : this.#world.nowMs + timeoutMs;
      message.hiddenLowMs = Math.min(message.hiddenLowMs, visibleAtMs);
      message.hiddenHighMs = Math.max(message.hiddenHighMs, visibleAtMs);
      message.hiddenBy = { is: "change", order: this.#requests.order };
      message.lastChangeOrder = this.#requests.order;
      message.version += 1;
    }
    const entries = deliveries.map(({ handle }) => ({ receiptHandle: handle, visibilityTimeoutMs: timeoutMs }));
    const what = `${queue.name} ${timeoutMs} ${deliveries.map(({ message, count }) => `${message.label}x${count}`).join(" ")}`;
    this.#requests.call<"changeVisibility">(
      { kind: "changeVisibility", queue: queue.key, entries },
      what,
      (outcome) => {
        if (outcome === undefined) this.#books.hasDoubts = true;
        if (!outcome?.ok) return outcome?.refusal.code;
        for (const [index, use] of uses.entries()) {
          checkVisibilityChanged(this.#books, use, timeoutMs, entryAt(outcome.value.entries, index));
        }
        return outcome.value.entries.map((entry) => (entry.ok ? "ok" : entry.refusal.code)).join(" ");
      },
    );
  }

  #purge(queue: QueueBook): void {
    if (queue.isChanging) return;
    queue.isChanging = true;
    const settle = this.#emptying(queue, "purged");
    this.#requests.call<"purgeQueue">({ kind: "purgeQueue", queue: queue.key }, queue.name, (outcome) => {
      queue.isChanging = false;
      settle(outcome?.ok);
      return outcome?.ok ? "ok" : outcome?.refusal.code;
    });
  }

  #deleteQueue(queue: QueueBook): void {
    if (queue.isChanging) return;
    queue.isChanging = true;
    queue.changeOrder = this.#requests.order;
    queue.exists = "unclear";
    const settle = this.#emptying(queue, "deleted with its queue");
    this.#requests.call<"deleteQueue">({ kind: "deleteQueue", queue: queue.key }, queue.name, (outcome) => {
      queue.isChanging = false;
      if (outcome !== undefined)
        queue.exists = outcome.ok || outcome.refusal.code === "QueueDoesNotExist" ? "no" : "yes";
      settle(outcome?.ok);
      return outcome?.ok ? "ok" : outcome?.refusal.code;
    });
  }

  /** All messages are about to go. The answer is called with what came of it. */
  #emptying(queue: QueueBook, why: string): (isDone: boolean | undefined) => void {
    const messages = [...queue.members];
    const remembered = [...queue.deduplication].map(([key, held]) => ({ key, held, wasUnclear: held.isUnclear }));
    for (const message of messages) message.openEndings += 1;
    for (const { held } of remembered) held.isUnclear = true;
    const order = this.#requests.order;
    queue.emptiedBy.push(order);
    return (isDone) => {
      if (isDone === undefined) this.#books.hasDoubts = true;
      if (isDone === false) queue.emptiedBy = queue.emptiedBy.filter((by) => by !== order);
      for (const message of messages) {
        message.openEndings -= 1;
        if (isDone === undefined) message.mayBeGone ??= `${why}, perhaps`;
        if (isDone !== true) continue;
        // A topic's copy that nobody has seen yet may arrive after this.
        const isElsewhere = message.stay.queue !== queue || (message.copy !== undefined && message.fate !== "stored");
        if (isElsewhere || this.#books.mayHaveMoved(message)) message.mayBeGone ??= `${why}, perhaps`;
        else this.#books.end(message, why);
      }
      for (const { key, held, wasUnclear } of remembered) {
        if (isDone === false) held.isUnclear = wasUnclear;
        if (isDone === true && queue.deduplication.get(key) === held) queue.deduplication.delete(key);
      }
    };
  }

  #setAttributes(queue: QueueBook, random: Random): void {
    if (queue.isChanging) return;
    queue.isChanging = true;
    queue.changeOrder = this.#requests.order;
    const changes = this.#someChange(queue, random);
    const attributes = { ...queue.attributes, ...changes };
    const before = queue.shape;
    const after = shapeOf(attributes);
    const atMs = this.#world.nowMs;
    queue.shapes = [before, after];
    queue.retentionMsMin = Math.min(queue.retentionMsMin, after.retentionMs);
    for (const open of queue.openReceives as Set<ReceiveBook>) {
      if (!open.waits) continue;
      open.visibilityLowMs = Math.min(open.visibilityLowMs, after.visibilityMs);
      open.visibilityHighMs = Math.max(open.visibilityHighMs, after.visibilityMs);
    }
    const order = this.#requests.order;
    const bounds = new Map<MessageBook, { lowMs: number; highMs: number }>();
    for (const message of queue.members) {
      bounds.set(message, { lowMs: message.expiresLowMs, highMs: message.expiresHighMs });
      message.expiryOrder = order;
      const expiresAtMs = Math.max(atMs, message.retainFromLowMs + after.retentionMs);
      message.expiresLowMs = Math.min(message.expiresLowMs, expiresAtMs);
      message.expiresHighMs = Math.max(message.expiresHighMs, message.retainFromHighMs + after.retentionMs);
      if (!queue.fifo || message.readyHighMs <= atMs) continue;
      message.readyLowMs = Math.min(message.readyLowMs, message.retainFromLowMs + after.delayMs);
      message.readyHighMs = Math.max(message.readyHighMs, message.retainFromHighMs + after.delayMs);
    }
    this.#noteExit(queue);
    const what = `${queue.name} ${JSON.stringify(changes)}`;
    this.#requests.call<"setQueueAttributes">(
      { kind: "setQueueAttributes", queue: queue.key, attributes: changes },
      what,
      (outcome) => {
        queue.isChanging = false;
        if (outcome === undefined) {
          this.#books.hasDoubts = true;
          return undefined;
        }
        queue.shapes = [outcome.ok ? after : before];
        if (outcome.ok) queue.attributes = attributes;
        for (const message of queue.members) {
          const known = bounds.get(message);
          if (known === undefined) {
            message.expiresLowMs = message.retainFromLowMs + queue.shape.retentionMs;
            message.expiresHighMs = message.retainFromHighMs + queue.shape.retentionMs;
          } else if (outcome.ok) this.#books.retain(message, atMs, known, after.retentionMs);
          else {
            message.expiresLowMs = known.lowMs;
            message.expiresHighMs = known.highMs;
          }
        }
        return outcome.ok ? "ok" : outcome.refusal.code;
      },
    );
  }

  #someChange(queue: QueueBook, random: Random): Record<string, string> {
    const dead = [...this.#books.queues.values()].filter(
      ({ name, fifo }) => name.includes("dead") && fifo === queue.fifo,
    );
    switch (random.below(5)) {
      case 0:
        return { VisibilityTimeout: random.pick(["0", "1", "10", "60"]) };
      case 1:
        return { DelaySeconds: random.pick(["0", "2", "10"]) };
      case 2:
        return { MessageRetentionPeriod: random.pick(["60", "120", "3600", "345600"]) };
      case 3:
        if (dead[0] !== undefined && dead[0] !== queue) return { RedrivePolicy: redrivePolicy(dead[0].name, random) };
        return { VisibilityTimeout: "5" };
      default:
        return { RedrivePolicy: "" };
    }
  }

  #startMoveTask(source: QueueBook, random: Random): void {
    const queues = [...this.#books.queues.values()].filter(
      ({ fifo, exists }) => fifo === source.fifo && exists === "yes",
    );
    const destination = random.chance(0.4) ? random.pick(queues) : undefined;
    const rate = random.pick([undefined, undefined, 1, 20, 500]);
    for (const { name, fifo } of this.#plan.queues) {
      if (fifo !== source.fifo || name === source.name) continue;
      if (destination === undefined || destination.name === name)
        source.exitTo({ by: "task", target: name, receivesMax: 0 });
    }
    if (destination === source) source.exitTo({ by: "task", target: source.name, receivesMax: 0 });
    const command: CommandOf<"startMoveTask"> = { kind: "startMoveTask", scope: SCOPE, sourceArn: source.arn };
    if (destination !== undefined) command.destinationArn = destination.arn;
    if (rate !== undefined) command.messagesPerSecondMax = rate;
    const what = `${source.name} to ${destination?.name ?? "origins"} at ${rate ?? "-"}/s`;
    this.#requests.call<"startMoveTask">(command, what, (outcome) => {
      if (outcome === undefined) this.#books.hasDoubts = true;
      if (!outcome?.ok) return outcome?.refusal.code;
      this.#taskIds = [{ taskId: outcome.value.taskId, sourceArn: source.arn }, ...this.#taskIds].slice(0, 4);
      return "ok";
    });
  }

  #cancelMoveTask(random: Random): void {
    if (this.#taskIds.length === 0) return;
    const { taskId, sourceArn } = random.pick(this.#taskIds);
    this.#requests.call<"cancelMoveTask">(
      { kind: "cancelMoveTask", scope: SCOPE, sourceArn, taskId },
      taskId,
      (outcome) => {
        if (outcome === undefined) this.#books.hasDoubts = true;
        return outcome?.ok ? `${outcome.value.movedCount} moved` : outcome?.refusal.code;
      },
    );
  }

  #count(queue: QueueBook): void {
    this.#requests.call<"getQueueAttributes">(
      { kind: "getQueueAttributes", queue: queue.key },
      queue.name,
      (outcome) => {
        if (!outcome?.ok) return outcome?.refusal.code;
        const { ApproximateNumberOfMessages: ready, ApproximateNumberOfMessagesNotVisible: held } =
          outcome.value.attributes;
        return `${ready} ready, ${held} in flight`;
      },
    );
  }

  /** Whoever receives, or waits, may move spent messages on. */
  #noteExit(queue: QueueBook): void {
    if (queue.openReceives.size === 0) return;
    for (const { redrive } of queue.shapes) {
      if (redrive !== undefined)
        queue.exitTo({ by: "redrive", target: redrive.target, receivesMax: redrive.receivesMax });
    }
  }

  #onQueue(random: Random, act: (queue: QueueBook) => void): void {
    const planned = random.pick(this.#plan.queues);
    const queue = this.#books.queueOf(planned.name);
    if (queue?.exists === "yes") act(queue);
  }

  /** Mostly fresh handles, sometimes old ones, now and then one of another queue. */
  #useHandles(random: Random, act: (queue: QueueBook, deliveries: DeliveryBook[]) => void): void {
    const { handles } = this.#books;
    if (handles.length === 0) return;
    const last = handles.length - 1;
    const start = random.chance(0.8) ? last - random.below(Math.min(handles.length, 10)) : random.below(handles.length);
    const { queue } = handles[start] as DeliveryBook;
    const isStray = random.chance(0.02);
    const chosen = handles
      .slice(start, start + random.pick([1, 1, 4, 10]))
      .filter((delivery) => isStray || delivery.queue === queue);
    if (queue.exists !== "yes" || this.#books.queueOf(queue.name) !== queue) return;
    const distinct = [...new Map(chosen.map((delivery) => [delivery.message, delivery])).values()];
    act(queue, distinct);
  }

  #keepHandles(deliveries: DeliveryBook[]): void {
    this.#books.handles.push(...deliveries);
    if (this.#books.handles.length > HANDLES_KEPT)
      this.#books.handles.splice(0, this.#books.handles.length - HANDLES_KEPT);
  }

  #keepRepeatable(entries: Retry[]): void {
    this.#repeatable.push(...entries);
    if (this.#repeatable.length > REPEATABLE_KEPT)
      this.#repeatable.splice(0, this.#repeatable.length - REPEATABLE_KEPT);
  }
}

export function queueKey(name: string): QueueKey {
  return { ...SCOPE, name };
}

function entryAt<Entry>(entries: Entry[], index: number): Entry {
  const entry = entries[index];
  if (entry === undefined) throw new Violation("a batch is answered whole", `entry ${index} is missing`);
  return entry;
}

function labelOf(body: Uint8Array): string {
  const text = Buffer.from(body).toString();
  const start = text.startsWith("{") ? text.indexOf(MESSAGE_FIELD) + MESSAGE_FIELD.length : 0;
  return text.slice(start, text.indexOf(" ", start));
}
