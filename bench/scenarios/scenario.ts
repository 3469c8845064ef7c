// What a scenario is, and what it is given.

import type { Target } from "../load/orders.ts";
import type { LoadProcess } from "../run/load-process.ts";
import type { Options } from "../run/options.ts";
import type { RunningServer, StartOptions } from "../subjects/running-server.ts";
import type { Subject } from "../subjects/subject.ts";

/** Figures that a row can have; the table shows those that some row of its scenario has. */
export interface Figures {
  messagesPerSecond?: number | undefined;
  p50Ms?: number | undefined;
  p99Ms?: number | undefined;
  /** The server's processor time. */
  serverMicrosPerMessage?: number | undefined;
  /** The above, over the echo's in the same rounds. */
  timesFloor?: number | undefined;
  /** The first subject's rate over this one's: how many times slower this one is. */
  firstIsTimes?: number | undefined;
  /** This one's processor time per message over the first subject's: steadier than the rates. */
  timesFirstCpu?: number | undefined;
  /** At 1, the load generator is what limits the rate. */
  loadCores?: number | undefined;
  /** Cores that neither server nor load generator used. */
  othersCores?: number | undefined;
  /** Rate here over the rate of a shallow queue in the same rounds. */
  timesShallow?: number | undefined;
  startMs?: number | undefined;
  residentMb?: number | undefined;
  residentBytesPerMessage?: number | undefined;
  serverPercentOfCore?: number | undefined;
}

export interface Row extends Figures {
  scenario: string;
  subject: string;
  connections?: number;
  /** What varies besides: groups, depth. */
  at?: string;
  rounds?: number;
  /** Instead of figures: what was wrong. */
  error?: string;
}

export interface Bench {
  options: Options;
  subjects: readonly Subject[];
  load: LoadProcess;
  /** Running all the time. */
  floor: RunningServer;
  /** The subject's server that throughput scenarios share; started when first asked for. */
  shared(subject: Subject): Promise<RunningServer>;
  /** A server for one scenario, which disposes of it. */
  start(subject: Subject, options?: Partial<StartOptions>): Promise<RunningServer>;
  target(server: RunningServer): Target;
  /** A name that no queue had before. */
  newQueueName(isFifo?: boolean): string;
  add(row: Row): void;
}

export interface Scenario {
  name: string;
  title: string;
  /** Whether peers take part. */
  isComparable: boolean;
  /** Adds rows; a subject's failure is a row with an error, never an exception. */
  run(bench: Bench): Promise<void>;
}

/** Runs a subject's part of a scenario; what goes wrong becomes its row. */
export async function guarded(bench: Bench, row: Row, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    bench.add({ ...row, error: (error as Error).message });
  }
}
