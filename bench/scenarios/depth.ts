// Does receiving cost the same however deep the queue is? A deep and a shallow queue on one server, measured in turn; and
// what a queued message takes of memory.

import type { LoopResult, Target } from "../load/orders.ts";
import { median } from "../report/statistics.ts";
import { type Bench, guarded, type Row, type Scenario } from "./scenario.ts";
import { FIFO_ATTRIBUTES, figuresOf, rate } from "./throughput.ts";

const SHALLOW = 1000;
const CONNECTIONS = 16;
const BODY_BYTES = 256;
const FIFO_GROUPS = 1000;
/** Short, so that the shallow queue stays filled, and therefore many. */
const RUNS_PER_ROUND = 6;

export const depth = depthSweep({
  name: "depth",
  title: "Receive one + delete, by depth",
  depths: [10_000, 100_000, 1_000_000, 2_000_000],
  isFifo: false,
});

export const depthFifo = depthSweep({
  name: "depth-fifo",
  title: "FIFO (1,000 groups): receive one + delete, by depth",
  depths: [10_000, 100_000, 1_000_000, 2_000_000],
  isFifo: true,
});

function depthSweep(sweep: { name: string; title: string; depths: number[]; isFifo: boolean }): Scenario {
  const { name, title, depths, isFifo } = sweep;
  return {
    name,
    title,
    isComparable: false,
    async run(bench) {
      for (const subject of bench.subjects) {
        await guarded(bench, { scenario: name, subject: subject.name }, async () => {
          const server = await bench.start(subject);
          try {
            const target = bench.target(server);
            const shallow = bench.newQueueName(isFifo);
            const deep = bench.newQueueName(isFifo);
            await measurePart(bench, target, shallow, SHALLOW, isFifo);
            const emptyBytes = server.residentBytes() ?? Number.NaN;
            for (const messages of bench.options.isQuick ? depths.slice(0, 1) : depths) {
              const pairs = await measurePairs(bench, target, shallow, deep, messages, isFifo);
              const residentBytes = server.residentBytes() ?? Number.NaN;
              const row: Row = { scenario: name, subject: subject.name, connections: CONNECTIONS };
              bench.add({
                ...row,
                at: messages.toLocaleString("en"),
                rounds: pairs.length,
                ...figuresOf(pairs.map((pair) => pair.deep)),
                timesShallow: median(pairs.map((pair) => rate(pair.deep) / rate(pair.shallow))),
                residentMb: residentBytes / 1e6,
                residentBytesPerMessage: (residentBytes - emptyBytes) / messages,
              });
            }
          } finally {
            await server.dispose();
          }
        });
      }
    },
  };
}

async function measurePairs(
  bench: Bench,
  target: Target,
  shallow: string,
  deep: string,
  messages: number,
  isFifo: boolean,
): Promise<{ shallow: LoopResult; deep: LoopResult }[]> {
  const pairs: { shallow: LoopResult; deep: LoopResult }[] = [];
  for (let run = 0; run < bench.options.rounds * RUNS_PER_ROUND; run++) {
    pairs.push({
      shallow: await measurePart(bench, target, shallow, SHALLOW, isFifo),
      deep: await measurePart(bench, target, deep, messages, isFifo),
    });
  }
  return pairs;
}

/** Tops the queue up, then takes as many messages as the shallow queue can give. */
async function measurePart(bench: Bench, target: Target, queue: string, messages: number, isFifo: boolean) {
  const { seconds, warmUpSeconds } = bench.options;
  const { queueUrl } = await bench.load.ask({
    kind: "fill",
    ...target,
    queue,
    depth: messages,
    bodyBytes: BODY_BYTES,
    ...(isFifo ? { attributes: FIFO_ATTRIBUTES, groups: FIFO_GROUPS } : {}),
  });
  return bench.load.ask({
    kind: "loop",
    ...target,
    work: { kind: "receive", bodyBytes: BODY_BYTES, count: 1 },
    queueUrl,
    connections: CONNECTIONS,
    seconds,
    warmUpSeconds,
    messagesMax: SHALLOW / 2,
  });
}
