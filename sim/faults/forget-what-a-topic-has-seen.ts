// After a restart FIFO topics remember none of the deduplication ids they have seen; queues do.

import { isInternal } from "../../src/engine/index.ts";
import { QUEUE_PREFIXES } from "../../src/host/topic-routes.ts";
import type { PlantedFault } from "./planted-fault.ts";

export const forgetWhatATopicHasSeen: PlantedFault = {
  name: "forget-what-a-topic-has-seen",
  needsTopics: true,
  hidesFromComparison: true,
  afterStart(host) {
    for (const shard of host.shards) {
      for (const { config, deduplicated } of shard.state.partitions.values()) {
        if (isInternal(config.queue) && config.queue.name.startsWith(QUEUE_PREFIXES.topic)) deduplicated.clear();
      }
    }
  },
};
