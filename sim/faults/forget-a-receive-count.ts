// A snapshot says of the messages that were received that they never were.

import { MessageTable } from "../../src/engine/queue/message-table.ts";
import type { PlantedFault } from "./planted-fault.ts";

export const forgetAReceiveCount: PlantedFault = {
  name: "forget-a-receive-count",
  hidesFromComparison: true,
  install() {
    const { readRows } = MessageTable.prototype;
    MessageTable.prototype.readRows = function (this: MessageTable, input, from, to) {
      readRows.call(this, input, from, to);
      for (let slot = from; slot < to; slot++) this.receiveCount.set(slot, 0);
    };
    return () => Object.assign(MessageTable.prototype, { readRows });
  },
};
