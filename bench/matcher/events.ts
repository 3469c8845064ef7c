// Made-up land parcels in the shape that matcher benchmarks use (a city's parcel map as one JSON feature an event, about
// 650 bytes): the same seed gives the same events. Match counts are not those of the real map.

import type { Random } from "../../src/base/random.ts";
import type { JsonObject } from "../../src/engine/index.ts";

const ENDS = ["ON", "KE", "MM", "ING", "GO", "ER", "TON", "LEY", "SIDE", "WOOD"];
const TYPES = ["ST", "AVE", "BLVD", "CT", "WAY", "DR"];
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export const STREETS_COUNT = 2000;

/** The same for everybody: rules are made from these names too. */
export function streetName(number: number): string {
  const letter = (at: number) => LETTERS[at % LETTERS.length] as string;
  const start = letter(number) + letter(number * 7 + Math.floor(number / 26)) + letter(Math.floor(number / 5));
  return `${start}${number % 97}${ENDS[number % ENDS.length]}`;
}

export function parcel(random: Random): JsonObject {
  const block = String(random.below(10_000)).padStart(4, "0");
  const lot = String(random.below(1000)).padStart(3, "0");
  const from = random.below(3000);
  const corners = Array.from({ length: 12 }, () => [
    -122 - random.below(1_000_000) / 1e6,
    37 + random.below(1_000_000) / 1e6,
    0,
  ]);
  return {
    type: "Feature",
    properties: {
      MAPBLKLOT: block + lot,
      BLKLOT: block + lot,
      BLOCK_NUM: block,
      LOT_NUM: lot,
      FROM_ST: String(from),
      TO_ST: String(from + random.below(10)),
      STREET: streetName(random.below(STREETS_COUNT)),
      ST_TYPE: random.pick(TYPES),
      ODD_EVEN: random.pick(["O", "E"]),
      AREA: random.below(1_000_000) / 100,
      owners: Array.from({ length: 1 + random.below(4) }, () => ({
        name: streetName(random.below(STREETS_COUNT)),
        share: random.below(100),
      })),
    },
    geometry: { type: random.chance(0.01) ? "MultiPolygon" : "Polygon", coordinates: [corners] },
  };
}
