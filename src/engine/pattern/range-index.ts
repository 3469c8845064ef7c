// Ranges of numbers, or of texts that sort: finds all that hold a value in O(log ranges + found). A centred interval
// tree, built at the first lookup after a change in O(ranges × log ranges); a change itself costs O(1) or, to remove,
// O(ranges).

export interface Interval<Key> {
  low: Key;
  lowOpen: boolean;
  high: Key;
  highOpen: boolean;
}

interface Node<Key, Item> {
  center: Key;
  /** Those that hold the center, by their lower ends and by their upper ends. */
  byLow: Item[];
  byHigh: Item[];
  below: Node<Key, Item> | undefined;
  above: Node<Key, Item> | undefined;
}

export class RangeIndex<Key extends number | string, Item extends Interval<Key>> {
  readonly #items: Item[] = [];
  #root: Node<Key, Item> | undefined;
  #isBuilt = true;

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#isBuilt = false;
  }

  remove(item: Item): void {
    this.#items.splice(this.#items.indexOf(item), 1);
    this.#isBuilt = false;
  }

  collect(value: Key, found: Item[]): void {
    if (!this.#isBuilt) {
      this.#root = build<Key, Item>(this.#items);
      this.#isBuilt = true;
    }
    for (let node = this.#root; node !== undefined; ) {
      if (value < node.center) {
        for (const item of node.byLow) {
          if (item.low > value) break;
          if (item.low < value || !item.lowOpen) found.push(item);
        }
        node = node.below;
      } else {
        for (const item of node.byHigh) {
          if (item.high < value) break;
          const isInside = (item.high > value || !item.highOpen) && (item.low < value || !item.lowOpen);
          if (isInside) found.push(item);
        }
        node = value > node.center ? node.above : undefined;
      }
    }
  }
}

/** The center is an end of one of the ranges, so each node takes at least that one, and neither side more than half. */
function build<Key extends number | string, Item extends Interval<Key>>(
  items: readonly Item[],
): Node<Key, Item> | undefined {
  if (items.length === 0) return undefined;
  const ends = items.flatMap(({ low, high }) => [low, high]).filter((end) => end !== Infinity && end !== -Infinity);
  ends.sort(compare);
  const center = ends[ends.length >> 1] as Key;
  const here = items.filter(({ low, high }) => low <= center && high >= center);
  return {
    center,
    byLow: here.toSorted((a, b) => compare(a.low, b.low)),
    byHigh: here.toSorted((a, b) => compare(b.high, a.high)),
    below: build(items.filter(({ high }) => high < center)),
    above: build(items.filter(({ low }) => low > center)),
  };
}

function compare<Key extends number | string>(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
