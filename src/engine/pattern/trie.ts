// Texts by their characters, forwards or, for suffixes, backwards. One walk along a value finds every text that it
// starts (or ends) with: O(the longest of them), however many there are.

export type Direction = 1 | -1;

interface Node<Item> {
  children: Map<number, Node<Item>>;
  items: Item[];
}

export class Trie<Item> {
  readonly #direction: Direction;
  readonly #root: Node<Item> = emptyNode();
  #size = 0;

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  get size(): number {
    return this.#size;
  }

  add(text: string, item: Item): void {
    let node = this.#root;
    for (const code of this.#codes(text)) {
      let child = node.children.get(code);
      if (child === undefined) {
        child = emptyNode();
        node.children.set(code, child);
      }
      node = child;
    }
    node.items.push(item);
    this.#size++;
  }

  /** `item` was added with this text. */
  remove(text: string, item: Item): void {
    const codes = this.#codes(text);
    const path = [this.#root];
    for (const code of codes) path.push((path.at(-1) as Node<Item>).children.get(code) as Node<Item>);
    const { items } = path.at(-1) as Node<Item>;
    items.splice(items.indexOf(item), 1);
    this.#size--;
    for (let depth = codes.length; depth > 0; depth--) {
      const node = path[depth] as Node<Item>;
      if (node.items.length > 0 || node.children.size > 0) return;
      path[depth - 1]?.children.delete(codes[depth - 1] as number);
    }
  }

  countAt(text: string): number {
    let node: Node<Item> | undefined = this.#root;
    for (const code of this.#codes(text)) node = node?.children.get(code);
    return node?.items.length ?? 0;
  }

  /** Adds to `found` the items of every text that `value` starts with (or ends with). */
  collect(value: string, found: Item[]): void {
    this.collectFrom(value, this.#direction === 1 ? 0 : value.length - 1, found);
  }

  /** As if the value began (or ended) at `start`. */
  collectFrom(value: string, start: number, found: Item[]): void {
    let node: Node<Item> | undefined = this.#root;
    for (let at = start; ; at += this.#direction) {
      for (const item of node.items) found.push(item);
      if (at < 0 || at >= value.length) return;
      node = node.children.get(value.charCodeAt(at));
      if (node === undefined) return;
    }
  }

  #codes(text: string): number[] {
    const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    return this.#direction === 1 ? codes : codes.reverse();
  }
}

function emptyNode<Item>(): Node<Item> {
  return { children: new Map(), items: [] };
}
