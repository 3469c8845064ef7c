// While a snapshot is being written, rows change without being copied first: it has some of them as they became later.

import { WriteWatch } from "../../src/base/write-watch.ts";
import type { PlantedFault } from "./planted-fault.ts";

export const changeBeforeTheCopy: PlantedFault = {
  name: "change-before-the-copy",
  install() {
    const { touch } = WriteWatch.prototype;
    WriteWatch.prototype.touch = () => undefined;
    return () => Object.assign(WriteWatch.prototype, { touch });
  },
};
