// A queue's clockwork under load: visibility changes with a million messages in flight, delayed sends onto a million that
// are delayed. Ten queues, since SQS lets a standard queue have 120,000 messages in flight.

import type { LoopResult } from "../load/orders.ts";
import type { Work } from "../load/steps.ts";
import type { RunningServer } from "../subjects/running-server.ts";
import { type Bench, guarded, type Row, type Scenario } from "./scenario.ts";
import { figuresOf } from "./throughput.ts";

const QUEUES = 10;
const IN_ALL = 1_000_000;
const QUICK_IN_ALL = 20_000;
const BODY_BYTES = 256;
/** Between an hour and the most that SQS allows: none comes back within the measurement. */
const VISIBILITY_SECONDS = [3600, 43_200] as const;
const DELAY_SECONDS = [600, 900] as const;
const CONNECTIONS = 64;

export const visibilityChurn: Scenario = {
  name: "visibility",
  title: "ChangeMessageVisibility with a million messages in flight",
  isComparable: false,
  run: (bench) =>
    churn(bench, "visibility", { kind: "visibility", timeoutSeconds: VISIBILITY_SECONDS }, async (target, count) => {
      for (let queue = 0; queue < QUEUES; queue++) {
        const depth = count / QUEUES;
        const { queueUrl } = await bench.load.ask({
          kind: "fill",
          ...target,
          queue: bench.newQueueName(),
          depth,
          bodyBytes: BODY_BYTES,
        });
        await bench.load.ask({ kind: "hold", ...target, queueUrl, count: depth });
      }
      return "";
    }),
};

export const delayChurn: Scenario = {
  name: "delay",
  title: "SendMessage with a delay, onto a million delayed messages",
  isComparable: false,
  run: (bench) =>
    churn(
      bench,
      "delay",
      { kind: "send", bodyBytes: BODY_BYTES, batch: 1, delaySeconds: DELAY_SECONDS },
      async (target, depth) => {
        const fill = { kind: "fill", ...target, queue: bench.newQueueName(), bodyBytes: BODY_BYTES } as const;
        return (await bench.load.ask({ ...fill, depth, delaySeconds: DELAY_SECONDS })).queueUrl;
      },
    ),
};

/** `prepare` brings `count` messages into place and answers the queue to work on. */
async function churn(
  bench: Bench,
  scenario: string,
  work: Work,
  prepare: (target: ReturnType<Bench["target"]>, count: number) => Promise<string>,
): Promise<void> {
  const count = bench.options.isQuick ? QUICK_IN_ALL : IN_ALL;
  for (const subject of bench.subjects) {
    const row: Row = { scenario, subject: subject.name, connections: CONNECTIONS, at: count.toLocaleString("en") };
    await guarded(bench, row, async () => {
      const server = await bench.start(subject);
      try {
        bench.add({ ...row, ...(await measure(bench, server, work, count, prepare)) });
      } finally {
        await server.dispose();
        await bench.load.ask({ kind: "hold", ...bench.target(bench.floor), queueUrl: "", count: 0 });
      }
    });
  }
}

async function measure(
  bench: Bench,
  server: RunningServer,
  work: Work,
  count: number,
  prepare: (target: ReturnType<Bench["target"]>, count: number) => Promise<string>,
) {
  const target = bench.target(server);
  const queueUrl = await prepare(target, count);
  const runs: LoopResult[] = [];
  for (let round = 0; round < bench.options.rounds; round++) {
    const { seconds, warmUpSeconds } = bench.options;
    const loop = { kind: "loop", ...target, work, queueUrl, connections: CONNECTIONS, seconds, warmUpSeconds } as const;
    runs.push(await bench.load.ask(loop));
  }
  return { rounds: runs.length, ...figuresOf(runs), residentMb: (server.residentBytes() ?? Number.NaN) / 1e6 };
}
