// `idempotent` under those who call it: `consume`, sqs-consumer, and a Lambda handler that answers partial failures. In
// each, a server delivers every message a second time while its first handler still runs, because the visibility timeout
// ran out or was set to 0. One effect a key; and without the guard the same story has to make more, or it proves nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeMessageVisibilityCommand, type Message } from "@aws-sdk/client-sqs";
import { Consumer as SqsConsumer } from "sqs-consumer";
import type { ConsumeOptions, Consumer, Delivery, MemoryTransaction, SqsRecord } from "../../src/consumer/index.ts";
import { consume, fromLambda, idempotent, isIdempotencyError, memoryStore } from "../../src/consumer/index.ts";
import { arnOf, clientOf, sleepOn, until, type World, withWorld } from "../consumer/world.ts";

const KEYS = ["p-1", "p-2", "p-3", "p-4", "p-5"];
const VISIBILITY_S = 30;
/** How the server comes to deliver a message again that is being worked on. */
const CAUSES = ["timed out", "set to 0"] as const;

/** What happened to each key: deliveries that reached a caller's handler, and effects. */
class Payments {
  readonly delivered = new Map<string, number>();
  readonly effects = new Map<string, number>();
  readonly refusals = new Set<string>();

  arrived(key: string): void {
    bump(this.delivered, key);
  }

  wereAllDeliveredAgain(): boolean {
    return KEYS.every((key) => (this.delivered.get(key) ?? 0) > 1);
  }

  /** Guarded, the work and its saved answers; unguarded, the work alone. */
  guard<M>(
    isGuarded: boolean,
    key: (message: M) => string,
    clock: World["clock"],
    work: (message: M, isFirstRun: boolean) => Promise<unknown>,
  ) {
    const begun = new Set<string>();
    const run = async (message: M): Promise<void> => {
      const isFirstRun = !begun.has(key(message));
      begun.add(key(message));
      await work(message, isFirstRun);
    };
    const write = (message: M) => () => bump(this.effects, key(message));
    const once = idempotent(
      async (message: M, _, { tx }: { tx: MemoryTransaction }) => {
        tx.write(write(message));
        await run(message);
      },
      { key, store: memoryStore({ clock }), clock, scope: "payments" },
    );
    return async (message: M): Promise<void> => {
      if (!isGuarded) {
        await run(message);
        return write(message)();
      }
      await once(message).catch((error: unknown) => {
        if (isIdempotencyError(error)) this.refusals.add(error.code);
        throw error;
      });
    };
  }

  check(isGuarded: boolean): void {
    assert.ok(this.wereAllDeliveredAgain(), `delivered ${[...this.delivered.values()]} times`);
    const counts = KEYS.map((key) => this.effects.get(key) ?? 0);
    if (!isGuarded) return assert.ok(Math.min(...counts) > 1, `${counts} effects without a guard: no duplicate ran`);
    assert.deepEqual(
      counts,
      KEYS.map(() => 1),
    );
    assert.deepEqual([...this.refusals], ["InProgress"]);
  }
}

for (const cause of CAUSES) {
  for (const isGuarded of [true, false]) {
    const title = `${cause}, ${isGuarded ? "one effect a key" : "unguarded: two"}`;

    test(`consume: ${title}`, async () => {
      await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
        const url = await queue("payments", { VisibilityTimeout: String(VISIBILITY_S) });
        await send(url, KEYS);
        const payments = new Payments();
        const pay = payments.guard(
          isGuarded,
          (message: Delivery<string>) => message.body,
          clock,
          async (message, isFirstRun) => {
            if (cause === "set to 0" && isFirstRun) await showAgain(sqs, url, message.raw.ReceiptHandle);
            await sleepOn(clock, (VISIBILITY_S + 15) * 1000);
          },
        );
        const options: ConsumeOptions<string> = {
          ...consumption(url, sqs, clock, cause),
          concurrency: KEYS.length,
          handler: async (message) => {
            payments.arrived(message.body);
            await pay(message);
          },
        };
        await takeTurns(clock, own(consume(options)), own(consume(options)));
        payments.check(isGuarded);
        if (isGuarded) assert.deepEqual(await states("payments"), []);
      });
    });

    test(`sqs-consumer: ${title}`, async () => {
      await withWorld(async ({ millpond, queue, send, states, clock }) => {
        const url = await queue("payments", { VisibilityTimeout: String(VISIBILITY_S) });
        await send(url, KEYS);
        // It does not live on the virtual clock, so the clock does not wait for its calls either.
        const sqs = clientOf(millpond);
        const payments = new Payments();
        const pay = payments.guard(isGuarded, bodyOf, clock, async (message, isFirstRun) => {
          if (!isFirstRun) return;
          if (cause === "set to 0") await showAgain(sqs, url, message.ReceiptHandle);
          await until(() => (payments.delivered.get(bodyOf(message)) ?? 0) > 1, `${bodyOf(message)} again`);
        });
        const consumers = Array.from({ length: KEYS.length * 2 }, () =>
          SqsConsumer.create({
            sqs,
            queueUrl: url,
            terminateVisibilityTimeout: true,
            handleMessage: async (message) => {
              payments.arrived(bodyOf(message));
              await pay(message);
              return message;
            },
          }),
        );
        try {
          for (const consumer of consumers) {
            consumer.on("error", () => {});
            consumer.on("processing_error", () => {});
            consumer.start();
          }
          await until(() => payments.delivered.size === KEYS.length, "all payments");
          if (cause === "timed out") await clock.advance(`${VISIBILITY_S + 1}s`);
          await until(() => payments.wereAllDeliveredAgain(), "the second deliveries");
          if (isGuarded) await emptied(states);
          else await until(() => KEYS.every((key) => (payments.effects.get(key) ?? 0) > 1), "the second effects");
          payments.check(isGuarded);
        } finally {
          for (const consumer of consumers) consumer.stop({ abort: true });
          sqs.destroy();
        }
      });
    });

    test(`Lambda handler with partial failures: ${title}`, async () => {
      await withWorld(async ({ queue, send, states, sqs, clock, own }) => {
        const dlq = { name: "failed", after: 20 };
        const url = await queue("payments", { VisibilityTimeout: String(VISIBILITY_S) }, dlq);
        await send(url, KEYS);
        const payments = new Payments();
        const pay = payments.guard(
          isGuarded,
          (record: SqsRecord) => record.body,
          clock,
          async (record, isFirstRun) => {
            if (cause === "set to 0" && isFirstRun) await showAgain(sqs, url, record.receiptHandle);
            await sleepOn(clock, (VISIBILITY_S + 15) * 1000);
            // One of the batch fails by itself, and only that one has to be done again.
            if (isGuarded && isFirstRun && record.body === "p-2") throw new Error("the card was declined for a moment");
          },
        );
        const lambda = async ({ Records }: { Records: SqsRecord[] }) => {
          for (const { body } of Records) payments.arrived(body);
          const outcomes = await Promise.allSettled(Records.map(pay));
          const failed = Records.filter((_, index) => outcomes[index]?.status === "rejected");
          return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
        };
        const options: ConsumeOptions = {
          ...consumption(url, sqs, clock, cause),
          concurrency: 1,
          batchSize: KEYS.length,
          batchHandler: fromLambda(lambda, { queueArn: await arnOf(sqs, url) }),
        };
        await takeTurns(clock, own(consume(options)), own(consume(options)));
        payments.check(isGuarded);
        if (isGuarded) assert.deepEqual([await states("payments"), await states("failed")], [[], []]);
      });
    });
  }
}

/** How a toolkit's consumer is told to work, so that the server delivers again what it holds. */
function consumption(url: string, sqs: World["sqs"], clock: World["clock"], cause: (typeof CAUSES)[number]) {
  return {
    queue: url,
    client: sqs,
    clock,
    decode: "text",
    // A consumer takes a second delivery of what it holds for the same work: only another one can be surprised.
    prefetch: 0,
    retry: { delay: "5s", jitter: 0 },
    // What a consumer without one, or one that hangs, would do: the timeout runs out.
    heartbeat: cause === "timed out" ? false : "auto",
  } as const;
}

/** The first has its hands full when the second comes. */
async function takeTurns(clock: World["clock"], first: Consumer, second: Consumer): Promise<void> {
  await first.start();
  await clock.advance("1s");
  await second.start();
  await clock.advance("1h");
}

async function showAgain(sqs: World["sqs"], url: string, handle: string | undefined): Promise<void> {
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: handle, VisibilityTimeout: 0 }));
}

function bodyOf(message: Message): string {
  return message.Body as string;
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

async function emptied(states: World["states"]): Promise<void> {
  const startedAtMs = performance.now();
  while ((await states("payments")).length > 0) {
    assert.ok(performance.now() - startedAtMs < 10_000, `still there: ${await states("payments")}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
