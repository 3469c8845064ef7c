// Plays a scenario: lines of commands against a server in memory on a virtual clock, each followed by what it
// answered. The transcript files beside this one are the specification of queue behaviour in text.
//
//   # a comment
//   queue orders.fifo VisibilityTimeout=5 dlq=failed max=3     creates a queue
//   set orders VisibilityTimeout=60                            SetQueueAttributes
//   send orders "body" group=g dedup=d delay=2 as=NAME         NAME stands for the message in later lines
//   receive orders max=2 wait=5 visibility=10 attempt=a        h1, h2 … name the handles in order of appearance
//   delete orders h1        change orders h1 20        purge orders        drop orders
//   advance 31s             counts orders              peek orders
//   poll orders wait=20 as=p      begins a long poll;   answer p           shows what it got, or "waiting"
//   redrive failed to=orders rate=1 as=T     tasks failed     cancel T     restart
//
// Answers are the lines that begin with ">". Message ids and receipt handles are shown by their names.

import { createHash } from "node:crypto";
import type { Command, CommandOf, Outcome, QueueKey, ReceivedMessage } from "../../src/engine/command.ts";
import { type Host, startHost } from "../../src/host/index.ts";
import { openMemoryStorage, type ShardStorage } from "../../src/log/index.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

const SCOPE = { account: "000000000000", region: "us-east-1" };

export async function playTranscript(text: string, shardCount: number): Promise<string> {
  const player = await Player.start(shardCount);
  const out: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith(">")) continue;
    out.push(line);
    if (line.trim() === "" || line.startsWith("#")) continue;
    for (const answer of await player.play(line)) out.push(`> ${answer}`);
  }
  await player.stop();
  return out.join("\n");
}

class Player {
  #host!: Host;
  readonly #clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly #shardCount: number;
  readonly #storages = new Map<number, ShardStorage>();
  readonly #names = new Map<string, string>();
  readonly #handles: string[] = [];
  readonly #polls = new Map<string, { answer: string[] | undefined; abort: AbortController }>();
  readonly #tasks = new Map<string, { taskId: string; sourceArn: string }>();
  #uuids = 0;

  constructor(shardCount: number) {
    this.#shardCount = shardCount;
  }

  static async start(shardCount: number): Promise<Player> {
    const player = new Player(shardCount);
    await player.#open();
    return player;
  }

  async #open(): Promise<void> {
    this.#host = await startHost({
      openStorage: async (shard) => this.#storage(shard),
      shardCount: this.#shardCount,
      clock: this.#clock,
      ids: { uuid: () => `00000000-0000-4000-8000-${String(++this.#uuids).padStart(12, "0")}` },
      awsDelays: false,
      bodyCacheBytesMax: 1024 * 1024,
      log: () => undefined,
    });
    this.#clock.settleWith(() => this.#host.settle());
  }

  /** The same log again after a restart: memory that outlives the host, closed never. */
  #storage(shard: number): ShardStorage {
    const kept = this.#storages.get(shard) ?? openMemoryStorage();
    kept.log.close = async () => undefined;
    this.#storages.set(shard, kept);
    return kept;
  }

  async stop(): Promise<void> {
    await this.#host.stop();
  }

  async play(line: string): Promise<string[]> {
    const [verb, ...words] = line.match(/"[^"]*"|\S+/g) ?? [];
    const plain = words.filter((word) => !/^\w+=/.test(word)).map((word) => word.replaceAll('"', ""));
    const options = Object.fromEntries(
      words.filter((word) => /^\w+=/.test(word)).map((word) => word.split("=") as [string, string]),
    );
    const answer = await this.#run(verb as string, plain, options);
    await this.#host.settle();
    return answer;
  }

  async #run(verb: string, words: string[], options: Record<string, string>): Promise<string[]> {
    const name = words[0] ?? "";
    switch (verb) {
      case "queue":
        return this.#show(
          await this.#do({ kind: "createQueue", queue: key(name), attributes: attributesOf(name, options), tags: {} }),
        );
      case "set":
        return this.#show(
          await this.#do({
            kind: "setQueueAttributes",
            queue: key(name),
            attributes: attributesOf(name, options, false),
          }),
        );
      case "send":
        return this.#send(name, words[1] ?? "", options);
      case "receive":
        return this.#showReceived(await this.#do(receiveCommand(name, options)));
      case "poll":
        return this.#poll(name, options);
      case "answer":
        return this.#polls.get(name)?.answer ?? ["waiting"];
      case "hangup":
        this.#polls.get(name)?.abort.abort();
        return [];
      case "delete":
        return this.#showEntry(
          await this.#do({ kind: "deleteMessages", queue: key(name), receiptHandles: [this.#handle(words[1])] }),
        );
      case "change":
        return this.#showEntry(
          await this.#do({
            kind: "changeVisibility",
            queue: key(name),
            entries: [{ receiptHandle: this.#handle(words[1]), visibilityTimeoutMs: Number(words[2]) * 1000 }],
          }),
        );
      case "purge":
        return this.#show(await this.#do({ kind: "purgeQueue", queue: key(name) }));
      case "drop":
        return this.#show(await this.#do({ kind: "deleteQueue", queue: key(name) }));
      case "advance":
        await this.#clock.advance(durationMs(name));
        return [];
      case "counts":
        return this.#counts(name);
      case "peek":
        return this.#peek(name);
      case "redrive":
        return this.#redrive(name, options);
      case "tasks":
        return this.#listTasks(name);
      case "cancel":
        return this.#cancel(name);
      case "restart":
        await this.#host.stop();
        await this.#open();
        return [];
      default:
        throw new Error(`no such verb: ${verb}`);
    }
  }

  async #send(queue: string, body: string, options: Record<string, string>): Promise<string[]> {
    const bytes = Buffer.from(body);
    const outcome = await this.#do({
      kind: "sendMessages",
      queue: key(queue),
      senderId: "AIDATEST",
      batch: false,
      entries: [
        {
          content: { body: bytes, bodyMd5: createHash("md5").update(bytes).digest(), attributes: [] },
          sizeBytes: bytes.length,
          ...(options.delay === undefined ? {} : { delayMs: Number(options.delay) * 1000 }),
          ...(options.group === undefined ? {} : { groupId: options.group }),
          ...(options.dedup === undefined ? {} : { deduplicationId: options.dedup }),
          ...(options.group === undefined || options.dedup !== undefined
            ? {}
            : { contentDeduplicationId: createHash("sha256").update(bytes).digest("hex") }),
        },
      ],
    });
    if (!outcome.ok) return [refused(outcome)];
    const entry = outcome.value.entries[0];
    if (entry === undefined || !entry.ok) return [refused(entry as never)];
    const known = this.#names.get(entry.value.messageId);
    if (known !== undefined) return [`duplicate of ${known}`];
    this.#names.set(entry.value.messageId, options.as ?? body);
    return ["sent"];
  }

  #poll(queue: string, options: Record<string, string>): string[] {
    const poll = { answer: undefined as string[] | undefined, abort: new AbortController() };
    this.#polls.set(options.as ?? queue, poll);
    void this.#host
      .execute<"receiveMessages">(receiveCommand(queue, options), { signal: poll.abort.signal })
      .then((outcome) => {
        poll.answer = this.#showReceived(outcome);
      });
    return [];
  }

  #showReceived(outcome: Outcome<"receiveMessages">): string[] {
    if (!outcome.ok) return [refused(outcome)];
    if (outcome.value.messages.length === 0) return ["nothing"];
    return outcome.value.messages.map((message) => this.#describe(message));
  }

  #describe(message: ReceivedMessage): string {
    const known = this.#handles.indexOf(message.receiptHandle);
    const handle = known >= 0 ? known + 1 : this.#handles.push(message.receiptHandle);
    const group = message.groupId === undefined ? "" : ` group=${message.groupId}`;
    const from =
      message.deadLetterSourceArn === undefined ? "" : ` from=${message.deadLetterSourceArn.split(":").at(-1)}`;
    const body = Buffer.from(message.content.body).toString();
    const name = this.#names.get(message.messageId) ?? "a new id";
    return `${body} (${name}) receives=${message.receiveCount}${group}${from} handle=h${handle}`;
  }

  async #counts(queue: string): Promise<string[]> {
    const outcome = await this.#do({ kind: "getQueueAttributes", queue: key(queue) });
    if (!outcome.ok) return [refused(outcome)];
    const { attributes } = outcome.value;
    const count = (name: string) => attributes[`ApproximateNumberOfMessages${name}`];
    return [`visible=${count("")} in-flight=${count("NotVisible")} delayed=${count("Delayed")}`];
  }

  async #peek(queue: string): Promise<string[]> {
    const messages = (await this.#host.inspect(key(queue))) ?? [];
    return messages.map(
      (message) => `${Buffer.from(message.content.body)} ${message.state} receives=${message.receiveCount}`,
    );
  }

  async #redrive(queue: string, options: Record<string, string>): Promise<string[]> {
    const outcome = await this.#do({
      kind: "startMoveTask",
      scope: SCOPE,
      sourceArn: arn(queue),
      ...(options.to === undefined ? {} : { destinationArn: arn(options.to) }),
      ...(options.rate === undefined ? {} : { messagesPerSecondMax: Number(options.rate) }),
    });
    if (!outcome.ok) return [refused(outcome)];
    this.#tasks.set(options.as ?? "T", outcome.value);
    return ["started"];
  }

  async #listTasks(queue: string): Promise<string[]> {
    const outcome = await this.#do({ kind: "listMoveTasks", scope: SCOPE, sourceArn: arn(queue), resultsMax: 10 });
    if (!outcome.ok) return [refused(outcome)];
    return outcome.value.tasks.map(
      (task) =>
        `${task.status} moved=${task.movedCount} of ${task.toMoveCount}${task.failureReason === undefined ? "" : ` ${task.failureReason}`}`,
    );
  }

  async #cancel(name: string): Promise<string[]> {
    const task = this.#tasks.get(name);
    if (task === undefined) throw new Error(`no task ${name}`);
    const outcome = await this.#do({ kind: "cancelMoveTask", scope: SCOPE, ...task });
    return outcome.ok ? [`moved=${outcome.value.movedCount}`] : [refused(outcome)];
  }

  #do<Kind extends Command["kind"]>(command: CommandOf<Kind> & { kind: Kind }): Promise<Outcome<Kind>> {
    return this.#host.execute<Kind>(command);
  }

  #show(outcome: Outcome): string[] {
    return outcome.ok ? [] : [refused(outcome)];
  }

  #showEntry(outcome: Outcome<"deleteMessages"> | Outcome<"changeVisibility">): string[] {
    if (!outcome.ok) return [refused(outcome)];
    const entry = outcome.value.entries[0];
    return entry?.ok ? ["ok"] : [refused(entry as never)];
  }

  #handle(name: string | undefined): string {
    const index = /^h(\d+)$/.exec(name ?? "")?.[1];
    return index === undefined ? (name ?? "") : (this.#handles[Number(index) - 1] ?? "");
  }
}

function receiveCommand(queue: string, options: Record<string, string>): CommandOf<"receiveMessages"> {
  return {
    kind: "receiveMessages",
    queue: key(queue),
    messagesMax: Number(options.max ?? 10),
    waitMs: Number(options.wait ?? 0) * 1000,
    ...(options.visibility === undefined ? {} : { visibilityTimeoutMs: Number(options.visibility) * 1000 }),
    ...(options.attempt === undefined ? {} : { attemptId: options.attempt }),
  };
}

function attributesOf(name: string, options: Record<string, string>, isNew = true): Record<string, string> {
  const { dlq, max, ...attributes } = options;
  if (isNew && name.endsWith(".fifo")) attributes.FifoQueue = "true";
  if (dlq !== undefined) {
    attributes.RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn(dlq), maxReceiveCount: Number(max ?? 1) });
  }
  return attributes;
}

function key(name: string): QueueKey {
  return { ...SCOPE, name };
}

function arn(name: string): string {
  return `arn:aws:sqs:${SCOPE.region}:${SCOPE.account}:${name}`;
}

function refused(outcome: { ok: false; refusal: { code: string; message: string } }): string {
  // Handles are opaque and long: the text is shown without them.
  const message = outcome.refusal.message.replace(/[A-Za-z0-9+/_=-]{34,}/g, "…");
  return `${outcome.refusal.code}: ${message}`;
}

function durationMs(text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const [, amount, unit] = /^([\d.]+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return Math.round(Number(amount) * (units[unit ?? ""] ?? Number.NaN));
}
