// After a restart FIFO queues remember none of the deduplication ids they have seen.

import type { PlantedFault } from "./planted-fault.ts";

export const dropTheDeduplicationTable: PlantedFault = {
  name: "drop-the-deduplication-table",
  hidesFromComparison: true,
  afterStart(host) {
    for (const shard of host.shards) {
      for (const partition of shard.state.partitions.values()) partition.deduplicated.clear();
    }
  },
};
