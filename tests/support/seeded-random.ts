// Chance that can be repeated: the same seed gives the same choices. (What a killed server had done by then still
// depends on the machine.)

export interface SeededRandom {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** True this often. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    // A Weyl sequence through a finalizer: short, and even enough for choosing tests.
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    chance: (share) => next() < share,
    pick: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
  };
}

/** From the environment, or a new one; printed, so that a failure can be repeated. */
export function chooseSeed(variable: string): number {
  const given = process.env[variable];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  console.log(`seed ${seed} (repeat with ${variable}=${seed})`);
  return seed;
}
