// Resident memory per queued message: what filling a queue adds.

import { guarded, type Row, type Scenario } from "./scenario.ts";

const MESSAGES = 1_000_000;
const QUICK_MESSAGES = 50_000;
const BODIES_BYTES = [256, 1024];

export const memory: Scenario = {
  name: "memory",
  title: "Resident memory per queued message",
  isComparable: false,
  async run(bench) {
    const depth = bench.options.isQuick ? QUICK_MESSAGES : MESSAGES;
    for (const subject of bench.subjects) {
      for (const bodyBytes of BODIES_BYTES) {
        const row: Row = { scenario: this.name, subject: subject.name };
        await guarded(bench, row, async () => {
          const server = await bench.start(subject);
          try {
            const target = bench.target(server);
            const queue = bench.newQueueName();
            // A little traffic first: what the first requests bring into memory is not the messages' own.
            await bench.load.ask({ kind: "fill", ...target, queue, depth: depth / 50, bodyBytes });
            const before = server.residentBytes() ?? Number.NaN;
            const { sent, seconds } = await bench.load.ask({ kind: "fill", ...target, queue, depth, bodyBytes });
            const after = server.residentBytes() ?? Number.NaN;
            bench.add({
              ...row,
              at: `${depth.toLocaleString("en")} of ${bodyBytes} B`,
              rounds: 1,
              messagesPerSecond: sent / seconds,
              residentMb: after / 1e6,
              residentBytesPerMessage: (after - before) / sent,
            });
          } finally {
            await server.dispose();
          }
        });
      }
    }
  },
};
