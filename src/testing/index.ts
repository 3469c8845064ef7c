// The test kit's door: `import { startMillpond } from "millpond/testing"`.

export type { PresentedAttribute, PresentedMessage } from "../server/index.ts";
export { seededIds } from "./seeded-ids.ts";
export type { Millpond, MillpondOptions } from "./start-millpond.ts";
export { startMillpond } from "./start-millpond.ts";
export { VirtualClock } from "./virtual-clock.ts";
