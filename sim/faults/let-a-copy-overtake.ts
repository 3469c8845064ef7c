// Of two copies that come from another shard for the same queue, the later one is put before the earlier one.

import type { IncomingTransfer } from "../../src/engine/index.ts";
import { aroundCommands, type PlantedFault } from "./planted-fault.ts";

export const letACopyOvertake: PlantedFault = {
  name: "let-a-copy-overtake",
  needsTopics: true,
  afterStart(host) {
    for (const shard of host.shards) {
      aroundCommands(shard, "acceptTransfers", (command, perform) =>
        perform<"acceptTransfers">({ ...command, transfers: overtaken(command.transfers) }),
      );
    }
  },
};

function overtaken(transfers: readonly IncomingTransfer[]): IncomingTransfer[] {
  const changed = [...transfers];
  for (let index = 0; index + 1 < changed.length; index++) {
    const [first, second] = changed.slice(index) as [IncomingTransfer, IncomingTransfer];
    const isSameQueue = first.partition === second.partition && first.groupId === second.groupId;
    if (!isSameQueue || first.purpose !== "forward" || second.purpose !== "forward") continue;
    changed[index] = { ...second, transferId: first.transferId };
    changed[index + 1] = { ...first, transferId: second.transferId };
    index += 1;
  }
  return changed;
}
