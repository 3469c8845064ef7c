// How long until a server answers: with nothing, and with a log to read. And what it takes of memory when idle.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../report/statistics.ts";
import { guarded, type Row, type Scenario } from "./scenario.ts";

const STARTS = 5;
const SETTLE_MS = 2000;
const DEPTHS = [10_000, 100_000, 1_000_000];
const BODY_BYTES = 256;

export const start: Scenario = {
  name: "start",
  title: "Start to first answer, and resident memory when idle",
  isComparable: true,
  async run(bench) {
    for (const subject of bench.subjects) {
      const row: Row = { scenario: this.name, subject: subject.name };
      await guarded(bench, row, async () => {
        const startsMs: number[] = [];
        const residentMb: number[] = [];
        for (let round = 0; round < (bench.options.isQuick ? 1 : STARTS); round++) {
          const server = await bench.start(subject);
          startsMs.push(server.startMs);
          await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
          residentMb.push((server.residentBytes() ?? Number.NaN) / 1e6);
          await server.dispose();
        }
        bench.add({ ...row, rounds: startsMs.length, startMs: median(startsMs), residentMb: median(residentMb) });
      });
    }
  },
};

export const restart: Scenario = {
  name: "restart",
  title: "Restart to first answer, by queued messages, after a kill and after a stop",
  isComparable: false,
  async run(bench) {
    for (const subject of bench.subjects) {
      if (subject.name.endsWith("memory")) continue;
      for (const depth of bench.options.isQuick ? DEPTHS.slice(0, 1) : DEPTHS) {
        await guarded(bench, { scenario: this.name, subject: subject.name }, () => measureDepth(depth, subject));
      }
    }

    async function measureDepth(depth: number, subject: (typeof bench.subjects)[number]) {
      const dataFolder = mkdtempSync(join(tmpdir(), "millpond-bench-restart-"));
      let server = await bench.start(subject, { dataFolder });
      try {
        const fill = { kind: "fill", queue: bench.newQueueName(), depth, bodyBytes: BODY_BYTES } as const;
        await bench.load.ask({ ...fill, ...bench.target(server) });
        for (const signal of ["SIGKILL", "SIGTERM"] as const) {
          const startsMs: number[] = [];
          for (let round = 0; round < bench.options.rounds; round++) {
            await server.stop(signal);
            server = await bench.start(subject, { dataFolder });
            startsMs.push(server.startMs);
            const { sent } = await bench.load.ask({ ...fill, ...bench.target(server) });
            if (sent !== 0) throw new Error(`${sent} of ${depth} messages were gone after ${signal}`);
          }
          bench.add({
            scenario: "restart",
            subject: subject.name,
            at: `${depth.toLocaleString("en")} after ${signal}`,
            rounds: startsMs.length,
            startMs: median(startsMs),
            residentMb: (server.residentBytes() ?? Number.NaN) / 1e6,
          });
        }
      } finally {
        await server.dispose();
        rmSync(dataFolder, { recursive: true, force: true });
      }
    }
  },
};
