// Wildcard patterns by one literal piece of each, its anchor: the piece before the first wildcard, the one after the
// last, or one between. Values are looked up by what they start with, end with or hold; whoever comes up is checked
// with the whole pattern. Adding costs O(anchor); a lookup O(the value, plus the patterns whose anchor it has).

import { Trie } from "./trie.ts";
import { matchesWildcard } from "./wildcard.ts";

/** A middle anchor is looked for at every place of a value: as many characters suffice to make it rare. */
const MIDDLE_CHARACTERS_MAX = 8;
/** Shorter anchors are taken only when there is no better one. */
const GOOD_CHARACTERS = 3;

export interface WildcardItem {
  readonly pieces: readonly string[];
}

type Anchor = { at: "start" | "end" | "middle"; text: string };

export class WildcardIndex<Item extends WildcardItem> {
  readonly #starts = new Trie<Item>(1);
  readonly #ends = new Trie<Item>(-1);
  readonly #middles = new Trie<Item>(1);
  readonly #anchors = new Map<Item, Anchor>();

  add(item: Item): void {
    const anchor = this.#leastCrowded(anchorsOf(item.pieces));
    this.#anchors.set(item, anchor);
    this.#trie(anchor).add(anchor.text, item);
  }

  remove(item: Item): void {
    const anchor = this.#anchors.get(item) as Anchor;
    this.#anchors.delete(item);
    this.#trie(anchor).remove(anchor.text, item);
  }

  collect(value: string, found: Item[]): void {
    const candidates: Item[] = [];
    if (this.#starts.size > 0) this.#starts.collect(value, candidates);
    if (this.#ends.size > 0) this.#ends.collect(value, candidates);
    if (this.#middles.size > 0) this.#collectMiddles(value, candidates);
    for (const item of candidates) if (matchesWildcard(item.pieces, value)) found.push(item);
  }

  /** An anchor may be in a value more than once. */
  #collectMiddles(value: string, candidates: Item[]): void {
    const met: Item[] = [];
    for (let start = 0; start < value.length; start++) this.#middles.collectFrom(value, start, met);
    for (const item of met.length > 1 ? new Set(met) : met) candidates.push(item);
  }

  #leastCrowded(anchors: Anchor[]): Anchor {
    const cost = (anchor: Anchor) =>
      this.#trie(anchor).countAt(anchor.text) + Math.max(0, GOOD_CHARACTERS - anchor.text.length) * GOOD_CHARACTERS;
    return anchors.reduce((best, anchor) => (cost(anchor) < cost(best) ? anchor : best));
  }

  #trie({ at }: Anchor): Trie<Item> {
    return at === "start" ? this.#starts : at === "end" ? this.#ends : this.#middles;
  }
}

/** Never none: `*` starts with nothing, like every value. */
function anchorsOf(pieces: readonly string[]): Anchor[] {
  const middles = pieces.slice(1, -1).filter((piece) => piece !== "");
  return [
    { at: "start", text: pieces[0] as string },
    { at: "end", text: pieces.at(-1) as string },
    ...middles.map((piece): Anchor => ({ at: "middle", text: piece.slice(0, MIDDLE_CHARACTERS_MAX) })),
  ];
}
