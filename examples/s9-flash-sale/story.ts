// A burst of twenty times the normal rate in front of a database that takes 200 writes a second: the queue takes the
// burst, the consumer keeps to the rate, nothing is refused or lost.

import { consume, producer } from "millpond/consumer";
import { depth, freshQueue, type Stage, sleep } from "../stage.ts";

const WRITES_PER_SECOND = 200;
const BURST_WRITES = 10;
const NORMAL_PER_SECOND = 50;
const BURST = 20 * NORMAL_PER_SECOND;

/** Refuses what is more than it can take. */
class Database {
  readonly #stage: Stage;
  readonly #recentMs: number[] = [];
  readonly rows = new Set<string>();
  refused = 0;
  writesPerSecondMax = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  write(id: string): void {
    const nowMs = this.#stage.clock.nowMs();
    while ((this.#recentMs[0] ?? nowMs) <= nowMs - 1000) this.#recentMs.shift();
    if (this.#recentMs.length >= WRITES_PER_SECOND) {
      this.refused += 1;
      throw new Error("too many writes");
    }
    this.#recentMs.push(nowMs);
    this.writesPerSecondMax = Math.max(this.writesPerSecondMax, this.#recentMs.length);
    this.rows.add(id);
  }
}

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "flash-sale", { maxReceiveCount: 3 });
  const { sqs, clock } = stage;
  const database = new Database(stage);
  const consumer = consume<{ order: string }>({
    queue: url,
    client: sqs,
    clock,
    concurrency: 20,
    abortPolls: true,
    // With its burst it stays within the database's limit in every second.
    rateLimit: { count: WRITES_PER_SECOND - BURST_WRITES, per: "1s", burst: BURST_WRITES },
    handler: ({ body }) => database.write(body.order),
  });
  await consumer.start();
  const orders = producer({ queue: url, client: sqs, clock });
  const sell = async (second: number, count: number) =>
    orders.sendAll(Array.from({ length: count }, (_, index) => ({ body: { order: `${second}-${index}` } })));
  let sent = 0;
  const depths: number[] = [];
  stage.say("second  sold  in the queue  written");
  for (let second = 0; second < 12; second++) {
    const count = second === 2 ? BURST : second < 5 ? NORMAL_PER_SECOND : 0;
    if (count > 0) sent += (await sell(second, count)).sent.length;
    const { visible, inFlight } = await depth(stage, url);
    depths.push(visible + inFlight);
    const bar = "#".repeat(Math.ceil((visible + inFlight) / 25));
    stage.say(
      `${String(second).padStart(6)}  ${String(count).padStart(4)}  ${String(visible + inFlight).padStart(12)}  ${String(database.rows.size).padStart(7)}  ${bar}`,
    );
    await sleep(stage, 1000);
  }
  await consumer.stop();
  const { refused, rows, writesPerSecondMax } = database;
  stage.say(
    `sold ${sent}, written ${rows.size}, refused ${refused}, at most ${writesPerSecondMax} writes in any second`,
  );
  return { sent, written: rows.size, refused, writesPerSecondMax, depths };
}
