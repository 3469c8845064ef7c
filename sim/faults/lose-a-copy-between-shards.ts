// Now and then a topic's copy that comes from another shard is taken for received and is in no queue.

import { accept } from "../../src/base/result.ts";
import { aroundCommands, type PlantedFault } from "./planted-fault.ts";

const EVERY = 5;

export const loseACopyBetweenShards: PlantedFault = {
  name: "lose-a-copy-between-shards",
  needsTopics: true,
  afterStart(host) {
    let count = 0;
    for (const shard of host.shards) {
      aroundCommands(shard, "acceptTransfers", (command, perform) => {
        const transfers = command.transfers.filter(({ purpose }) => purpose !== "forward" || ++count % EVERY !== 0);
        const performed = perform<"acceptTransfers">({ ...command, transfers });
        const last = command.transfers.at(-1);
        if (transfers.length === command.transfers.length || last === undefined) return performed;
        return { ...performed, answer: accept({ acceptedUpTo: last.transferId }) };
      });
    }
  },
};
