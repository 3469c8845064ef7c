// A snapshot says of one message that was received that it never was.

import type { PlantedFault } from "./planted-fault.ts";

/** The chunks of a snapshot are its head and then the message table's columns. */
const RECEIVE_COUNT_CHUNK = 14;

export const forgetAReceiveCount: PlantedFault = {
  name: "forget-a-receive-count",
  hidesFromComparison: true,
  storage(storage) {
    const { snapshots } = storage;
    const put = snapshots.put.bind(snapshots);
    snapshots.put = (seq, chunks) => {
      const column = [...chunks][RECEIVE_COUNT_CHUNK];
      if (column !== undefined) {
        const counts = new Uint32Array(column.buffer, column.byteOffset, column.byteLength / 4);
        const received = counts.findIndex((count) => count > 0);
        if (received >= 0) counts[received] = 0;
      }
      return put(seq, chunks);
    };
    return storage;
  },
};
