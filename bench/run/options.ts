// The run's settings, from the command line.

import { parseArgs } from "node:util";
import type { Protocol } from "../load/sqs-protocol.ts";

export interface Options {
  /** Names; all that apply when empty. */
  scenarios: string[];
  /** Names of peers. */
  against: string[];
  memory: boolean;
  /** Numbers of front processes to measure too. */
  workers: number[];
  protocol: Protocol;
  connections: number[];
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
  /** Messages in the queues that are received from. */
  backlog: number;
  isQuick: boolean;
  isPinned: boolean;
  /** The JSON file; the chart goes beside it. */
  out: string | undefined;
}

export const RUN_HELP = `npm run bench -- [SCENARIO …] [flags]
npm run bench -- list | install PEER … | report FILE … | profile | matcher | deep

  --against NAME,…     measure these peers too, in turn with Millpond; "list" names them
  --memory             measure Millpond without a log too
  --workers 1,2        measure Millpond with so many front processes too; needs --no-pin to mean anything
  --protocol query     JSON is the default
  --connections 1,16   default 1,16,64,256
  --rounds N           default 5; figures are medians over them
  --seconds S          measured time of a round; default 1.5
  --warm-up S          before each of them; default a third of it; Java wants several seconds
  --backlog N          depth of queues that are received from; default 50000
  --quick              one short round at 1 and 16 connections, small depths: does everything work?
  --no-pin             leave it to the system which core runs what
  --out FILE           default bench/out/<scenarios>.json; an .svg goes beside it`;

export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      against: { type: "string", default: "" },
      memory: { type: "boolean", default: false },
      workers: { type: "string", default: "" },
      protocol: { type: "string", default: "json" },
      connections: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      "warm-up": { type: "string" },
      backlog: { type: "string" },
      quick: { type: "boolean", default: false },
      "no-pin": { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  if (values.protocol !== "json" && values.protocol !== "query") throw new Error("--protocol is json or query");
  const isQuick = values.quick;
  const seconds = positive("--seconds", values.seconds ?? (isQuick ? "0.3" : "1.5"));
  return {
    scenarios: positionals,
    against: namesIn(values.against),
    memory: values.memory,
    workers: namesIn(values.workers).map((count) => positive("--workers", count)),
    protocol: values.protocol,
    connections: namesIn(values.connections ?? (isQuick ? "1,16" : "1,16,64,256")).map((count) =>
      positive("--connections", count),
    ),
    rounds: positive("--rounds", values.rounds ?? (isQuick ? "1" : "5")),
    seconds,
    warmUpSeconds: positive("--warm-up", values["warm-up"] ?? String(seconds / 3)),
    backlog: positive("--backlog", values.backlog ?? (isQuick ? "2000" : "50000")),
    isQuick,
    isPinned: !values["no-pin"],
    out: values.out,
  };
}

function namesIn(list: string): string[] {
  return list.split(",").filter((name) => name !== "");
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} ${text}: a number above zero is needed`);
  return value;
}
