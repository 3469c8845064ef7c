// What a run leaves behind: everything needed to print its tables again, or together with another run's.

import type { Machine } from "../run/machine.ts";
import type { Options } from "../run/options.ts";
import type { Row } from "../scenarios/scenario.ts";

export interface RunFile {
  startedAt: string;
  machine: Machine;
  /** Of one minute: before the first scenario and after each. */
  loadAverages: number[];
  options: Options;
  subjects: { name: string; onSend: string }[];
  rows: Row[];
}
