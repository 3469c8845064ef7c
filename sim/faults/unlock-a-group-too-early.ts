// A FIFO group is open again as soon as a message of it was handed out: what is in flight is taken out of the group's
// list, and put back when it returns or leaves.

import { IN_FLIGHT, READY } from "../../src/engine/queue/message-table.ts";
import { Partition } from "../../src/engine/queue/partition.ts";
import { insertBySeq, unlink } from "../../src/engine/queue/slot-list.ts";
import type { PlantedFault } from "./planted-fault.ts";

export const unlockAGroupTooEarly: PlantedFault = {
  name: "unlock-a-group-too-early",
  install() {
    const { hold, release, withdraw } = Partition.prototype;
    const putBack = (partition: Partition, slot: number) => {
      const { config, table } = partition;
      if (config.fifo && table.status.get(slot) === IN_FLIGHT) insertBySeq(table, partition.groupOf(slot).fresh, slot);
    };
    Partition.prototype.hold = function (this: Partition, slot, visibleAtMs, nowMs) {
      if (this.config.fifo && this.table.status.get(slot) === READY) unlink(this.table, this.groupOf(slot).fresh, slot);
      hold.call(this, slot, visibleAtMs, nowMs);
    };
    Partition.prototype.release = function (this: Partition, slot) {
      putBack(this, slot);
      release.call(this, slot);
    };
    Partition.prototype.withdraw = function (this: Partition, slot) {
      putBack(this, slot);
      withdraw.call(this, slot);
    };
    return () => Object.assign(Partition.prototype, { hold, release, withdraw });
  },
};
