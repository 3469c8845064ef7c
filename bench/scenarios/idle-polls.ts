// What long polls cost that wait for nothing.

import { guarded, type Row, type Scenario } from "./scenario.ts";

const SECONDS = 10;
const QUICK_SECONDS = 3;

export function idlePolls(connections: number): Scenario {
  return {
    name: `idle-polls-${connections}`,
    title: `${connections.toLocaleString("en")} long polls that wait for nothing`,
    isComparable: false,
    async run(bench) {
      for (const subject of bench.subjects) {
        const row: Row = { scenario: this.name, subject: subject.name, connections };
        await guarded(bench, row, async () => {
          const server = await bench.start(subject);
          try {
            const target = bench.target(server);
            const queue = bench.newQueueName();
            const { queueUrl } = await bench.load.ask({ kind: "fill", ...target, queue, depth: 0, bodyBytes: 0 });
            const { seconds, serverCpuSeconds } = await bench.load.ask({
              kind: "park",
              ...target,
              queueUrl,
              connections,
              seconds: bench.options.isQuick ? QUICK_SECONDS : SECONDS,
            });
            bench.add({
              ...row,
              rounds: 1,
              serverPercentOfCore: serverCpuSeconds === undefined ? undefined : (100 * serverCpuSeconds) / seconds,
            });
          } finally {
            await server.dispose();
          }
        });
      }
    },
  };
}
