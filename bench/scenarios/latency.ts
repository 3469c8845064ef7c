// From a send to the receive that waits for it, on an idle server.

import type { LatencyResult } from "../load/orders.ts";
import { median } from "../report/statistics.ts";
import { guarded, type Row, type Scenario } from "./scenario.ts";

const SAMPLES = 300;
const QUICK_SAMPLES = 60;

export const longPollLatency: Scenario = {
  name: "long-poll",
  title: "Send to receive through a waiting long poll, idle",
  isComparable: true,
  async run(bench) {
    const { options, load } = bench;
    const runs = new Map<string, LatencyResult[]>();
    const failed = new Set<string>();
    for (let round = 0; round < options.rounds; round++) {
      for (const subject of bench.subjects) {
        if (failed.has(subject.name)) continue;
        const row: Row = { scenario: this.name, subject: subject.name };
        await guarded({ ...bench, add: (bad) => failed.add(subject.name) && bench.add(bad) }, row, async () => {
          const target = bench.target(await bench.shared(subject));
          const queue = bench.newQueueName();
          const { queueUrl } = await load.ask({ kind: "fill", ...target, queue, depth: 0, bodyBytes: 0 });
          const samples = options.isQuick ? QUICK_SAMPLES : SAMPLES;
          const result = await load.ask({ kind: "latency", ...target, queueUrl, samples });
          await load.ask({ kind: "deleteQueue", ...target, queueUrl });
          runs.set(subject.name, [...(runs.get(subject.name) ?? []), result]);
        });
      }
    }
    for (const [subject, results] of runs) {
      if (failed.has(subject)) continue;
      bench.add({
        scenario: this.name,
        subject,
        rounds: results.length,
        p50Ms: median(results.map(({ p50Ms }) => p50Ms)),
        p99Ms: median(results.map(({ p99Ms }) => p99Ms)),
      });
    }
  },
};
