// Now and then an append is acknowledged as soon as it has been issued.

import type { PlantedFault } from "./planted-fault.ts";

const SHARE = 0.1;

export const answerBeforeTheSync: PlantedFault = {
  name: "answer-before-the-sync",
  storage(storage, random) {
    const { log } = storage;
    const append = log.append.bind(log);
    log.append = (payload, expected, stamp) => {
      const appending = append(payload, expected, stamp);
      if (!random.chance(SHARE)) return appending;
      appending.catch(() => undefined);
      return Promise.resolve({ is: "ok", seq: expected + 1 });
    };
    return storage;
  },
};
