// When the log gives dead segments back, one that still holds a message goes with them.

import type { PlantedFault } from "./planted-fault.ts";

export const loseARecordInCleaning: PlantedFault = {
  name: "lose-a-record-in-cleaning",
  storage(storage) {
    const { log } = storage;
    const trim = log.trim.bind(log);
    log.trim = (upTo, mayDelete) => {
      let hasTakenOne = false;
      return trim(upTo, (segment) => {
        if (mayDelete(segment)) return true;
        if (hasTakenOne) return false;
        hasTakenOne = true;
        return true;
      });
    };
    return storage;
  },
};
