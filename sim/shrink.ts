// A shorter history that breaks the same promise. Actions are left out, half of them at a time, then quarters, down to
// single ones, as long as the promise is still broken without them.

import { type Report, type SimulationOptions, simulate } from "./simulate.ts";

const RUNS_MAX = 500;

export interface Shrunk {
  only: number[];
  report: Report;
  runs: number;
}

export async function shrink(options: SimulationOptions, failed: Report): Promise<Shrunk> {
  const promise = failed.violation?.promise;
  // What came after the violation was never done.
  let only = Array.from({ length: failed.operations }, (_, index) => index);
  if (options.only !== undefined) only = [...options.only].slice(0, failed.operations);
  let report = failed;
  let runs = 0;
  for (
    let count = Math.ceil(only.length / 2);
    count >= 1 && runs < RUNS_MAX;
    count = count === 1 ? 0 : Math.ceil(count / 2)
  ) {
    for (let start = 0; start < only.length && runs < RUNS_MAX; ) {
      const shorter = [...only.slice(0, start), ...only.slice(start + count)];
      const attempt = await simulate({ ...options, only: new Set(shorter) });
      runs += 1;
      if (attempt.violation?.promise === promise) {
        only = shorter;
        report = attempt;
      } else start += count;
    }
  }
  return { only, report, runs };
}

/** 3, 4, 5, 9 as 3-5,9. */
export function formatIndexes(indexes: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

export function parseIndexes(text: string): Set<number> {
  const indexes = new Set<number>();
  for (const range of text.split(",").filter((part) => part !== "")) {
    const [from, to = from] = range.split("-").map(Number) as [number, number?];
    for (let index = from; index <= to; index++) indexes.add(index);
  }
  return indexes;
}
