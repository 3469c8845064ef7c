// Faults that are planted to see the simulation fail. They wrap what the host is given, or reach into it from here, so
// that production code has no switch for them.

import type { Random } from "../../src/base/random.ts";
import type { ShardCommandKind, ShardCommandOf } from "../../src/engine/index.ts";
import type { Shard } from "../../src/host/shard.ts";
import type { MillpondHost } from "../../src/host/start-host.ts";
import type { Disk, ShardStorage } from "../../src/log/index.ts";

export interface PlantedFault {
  name: string;
  /** Only lives with topics have what it needs. */
  needsTopics?: true;
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

/** Puts `change` around the commands of one kind that a shard is given. */
export function aroundCommands<Kind extends ShardCommandKind>(
  shard: Shard,
  kind: Kind,
  change: (command: ShardCommandOf<Kind>, perform: Shard["perform"]) => ReturnType<typeof shard.perform<Kind>>,
): void {
  const perform = shard.perform.bind(shard);
  shard.perform = ((command: ShardCommandOf<ShardCommandKind>) =>
    command.kind === kind ? change(command as ShardCommandOf<Kind>, perform) : perform(command)) as Shard["perform"];
}
