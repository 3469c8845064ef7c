// Faults that are planted to see the simulation fail. They wrap what the host is given, or reach into it from here, so
// that production code has no switch for them.

import type { Random } from "../../src/base/random.ts";
import type { MillpondHost } from "../../src/host/start-host.ts";
import type { Disk, ShardStorage } from "../../src/log/index.ts";

export interface PlantedFault {
  name: string;
  /** Held back are the audits that compare the state with the log: what clients see must give the fault away. */
  hidesFromComparison?: boolean;
  /** Around the disk of one opening of a shard. */
  disk?(disk: Disk, random: Random): Disk;
  /** Around the storage of one opening of a shard. */
  storage?(storage: ShardStorage, random: Random): ShardStorage;
  /** Done to a host that has just started. */
  afterStart?(host: MillpondHost, life: number): void;
  /** Before the first start; the answer undoes it. */
  install?(): () => void;
}
