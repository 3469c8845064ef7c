// Mixed load that could go on for ever: what is sent is received and deleted, but for a sediment of messages that stay
// long and change slowly, so that the log has something to clean. Every worker lives through restarts.

import { queueArn, queueUrl, sleep, type World, work } from "../crash/world.ts";
import { type Answer, ConnectionLost, type LeanClient } from "../support/lean-client.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import type { Meter } from "./meter.ts";

const FILLER = "soak ".repeat(20_000);
/** Held back when its queue is this full: the load is for the long run, not for the peak. */
const BACKLOG_MAX = 2_000;
const SEDIMENT = 3_000;
const PURGE_EVERY = 400;
const FIFO_GROUPS = 8;

type Ask = (action: string, input: object, isMeasured?: boolean) => Promise<Answer["body"]>;
type Step = (ask: Ask) => Promise<void>;

export class Load {
  readonly #world: World;
  readonly #meter: Meter;
  readonly #random: SeededRandom;
  /** Sent and not yet deleted, as far as the load knows. */
  readonly #backlog = new Map<string, number>();
  #isOver = false;
  #keyCount = 0;

  constructor(world: World, meter: Meter, random: SeededRandom) {
    this.#world = world;
    this.#meter = meter;
    this.#random = random;
  }

  async createQueues(): Promise<void> {
    await this.#world.withClient(async (client) => {
      const create = (QueueName: string, Attributes: object = {}) =>
        client.call("CreateQueue", { QueueName, Attributes });
      const policy = (name: string) => JSON.stringify({ deadLetterTargetArn: queueArn(name), maxReceiveCount: 2 });
      await create("orders-dead");
      await create("steps-dead.fifo", { FifoQueue: "true" });
      await create("orders", { RedrivePolicy: policy("orders-dead"), VisibilityTimeout: "5" });
      await create("steps.fifo", {
        FifoQueue: "true",
        RedrivePolicy: policy("steps-dead.fifo"),
        VisibilityTimeout: "5",
      });
      for (const name of ["parcels", "later", "purged", "quiet", "sediment"]) await create(name);
    });
  }

  /** Resolves when `stop` was called and every worker is done. */
  async run(): Promise<void> {
    const steps: Step[] = [
      (ask) => this.#send(ask, "orders", 1),
      (ask) => this.#send(ask, "orders", 1),
      (ask) => this.#send(ask, "parcels", 10),
      (ask) => this.#send(ask, "later", 2, { DelaySeconds: this.#random.between(1, 5) }),
      (ask) => this.#sendStep(ask),
      (ask) => this.#consume(ask, "orders", 0.05),
      (ask) => this.#consume(ask, "orders", 0.05),
      (ask) => this.#consume(ask, "parcels", 0),
      (ask) => this.#consume(ask, "later", 0),
      (ask) => this.#consume(ask, "steps.fifo", 0.01),
      (ask) => this.#consume(ask, "orders-dead", 0),
      (ask) => this.#consume(ask, "steps-dead.fifo", 0),
      (ask) => this.#fillAndPurge(ask),
      (ask) => this.#stirSediment(ask),
      (ask) => this.#waitForNothing(ask),
      (ask) => this.#look(ask),
    ];
    await Promise.all(
      steps.map((step) =>
        work(
          this.#world,
          () => this.#isOver,
          (client) => step(this.#asker(client)),
        ),
      ),
    );
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Long polls are not measured: they take as long as they are told to. */
  #asker(client: LeanClient): Ask {
    return async (action, input, isMeasured = true) => {
      const startedAtMs = performance.now();
      try {
        const answer = await client.ask(action, input);
        if (isMeasured) this.#meter.took(action, performance.now() - startedAtMs);
        if (answer.status !== 200)
          this.#meter.surprise(`${action}: ${answer.status} ${answer.body.__type} ${answer.body.message}`);
        for (const { Code } of answer.body.Failed ?? []) this.#meter.surprise(`${action}: ${Code}`);
        return answer.body;
      } catch (error) {
        if (error instanceof ConnectionLost) this.#meter.lostCount += 1;
        throw error;
      }
    };
  }

  async #send(ask: Ask, queue: string, count: number, more: object = {}): Promise<void> {
    if (!this.#hasRoom(queue)) return sleep(20);
    const entries = Array.from({ length: count }, (_, index) => ({
      Id: `${index}`,
      MessageBody: this.#body(),
      ...more,
    }));
    const QueueUrl = queueUrl(queue);
    if (count === 1) await ask("SendMessage", { QueueUrl, ...entries[0] });
    else await ask("SendMessageBatch", { QueueUrl, Entries: entries });
    this.#count(queue, count);
    await sleep(this.#random.between(0, 8));
  }

  async #sendStep(ask: Ask): Promise<void> {
    const queue = "steps.fifo";
    if (!this.#hasRoom(queue)) return sleep(20);
    const Entries = Array.from({ length: 5 }, (_, index) => ({
      Id: `${index}`,
      MessageBody: this.#body(),
      MessageGroupId: `group-${this.#random.between(1, FIFO_GROUPS)}`,
      MessageDeduplicationId: `${process.pid}-${this.#keyCount++}`,
    }));
    await ask("SendMessageBatch", { QueueUrl: queueUrl(queue), Entries });
    this.#count(queue, 5);
    await sleep(this.#random.between(5, 20));
  }

  /** `poisonShare` of the messages is left to time out, and is dead-lettered in the end. */
  async #consume(ask: Ask, queue: string, poisonShare: number): Promise<void> {
    const QueueUrl = queueUrl(queue);
    const { Messages = [] } = await ask(
      "ReceiveMessage",
      { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 },
      false,
    );
    const done = Messages.filter(() => !this.#random.chance(poisonShare));
    if (done.length === 0) return;
    const Entries = done.map(({ ReceiptHandle }: { ReceiptHandle: string }, index: number) => ({
      Id: `${index}`,
      ReceiptHandle,
    }));
    if (this.#random.chance(0.1)) {
      const extended = Entries.map((entry: object) => ({ ...entry, VisibilityTimeout: 20 }));
      await ask("ChangeMessageVisibilityBatch", { QueueUrl, Entries: extended });
    }
    await ask("DeleteMessageBatch", { QueueUrl, Entries });
    this.#count(queue, -Messages.length);
  }

  async #fillAndPurge(ask: Ask): Promise<void> {
    const QueueUrl = queueUrl("purged");
    if (this.#count("purged", 1) >= PURGE_EVERY) {
      await ask("PurgeQueue", { QueueUrl });
      this.#backlog.set("purged", 0);
    } else await ask("SendMessage", { QueueUrl, MessageBody: this.#body() });
    await sleep(10);
  }

  /** Adds messages that stay; above the wanted number, takes some out wherever they are. */
  async #stirSediment(ask: Ask): Promise<void> {
    const QueueUrl = queueUrl("sediment");
    const { Attributes = {} } = await ask("GetQueueAttributes", { QueueUrl, AttributeNames: ["All"] });
    if (Number(Attributes.ApproximateNumberOfMessages) < SEDIMENT) {
      const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: `${index}`, MessageBody: this.#body() }));
      await ask("SendMessageBatch", { QueueUrl, Entries });
    } else {
      const { Messages = [] } = await ask("ReceiveMessage", {
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 20,
      });
      for (const { ReceiptHandle } of Messages.slice(0, 5)) await ask("DeleteMessage", { QueueUrl, ReceiptHandle });
    }
    await sleep(25);
  }

  async #waitForNothing(ask: Ask): Promise<void> {
    await ask("ReceiveMessage", { QueueUrl: queueUrl("quiet"), WaitTimeSeconds: 5 }, false);
  }

  async #look(ask: Ask): Promise<void> {
    await ask("ListQueues", {});
    await ask("GetQueueAttributes", { QueueUrl: queueUrl("orders"), AttributeNames: ["All"] });
    await sleep(500);
  }

  /** Mostly small, now and then large. */
  #body(): string {
    const characters = this.#random.chance(0.02) ? this.#random.between(1_000, 60_000) : this.#random.between(1, 3_000);
    return `${this.#keyCount++} ${FILLER.slice(0, characters)}`;
  }

  #hasRoom(queue: string): boolean {
    return (this.#backlog.get(queue) ?? 0) < BACKLOG_MAX;
  }

  #count(queue: string, change: number): number {
    const count = Math.max(0, (this.#backlog.get(queue) ?? 0) + change);
    this.#backlog.set(queue, count);
    return count;
  }
}
