// A binary min-heap of small integers (slots, groups) that knows where each member stands, so that any member can
// be removed or moved in O(log n). Keys and positions live with the members (columns of a table, fields of a
// record), which is why order and position are for the subclass to say. Members are 0 or greater; position -1
// means "not in the heap". The array's order is part of the state: a snapshot keeps it as it is.

import { Int32Column } from "./column.ts";
import { WriteWatch } from "./write-watch.ts";

/** Positions that a snapshot copies at once. */
const BLOCK_BITS = 10;
const CAPACITY_MIN = 4;

export abstract class IndexedHeap {
  /** Over the array's positions. */
  readonly watch = new WriteWatch(BLOCK_BITS);
  readonly items = new Int32Column(this.watch);
  size = 0;

  protected abstract before(a: number, b: number): boolean;
  protected abstract positionOf(member: number): number;
  protected abstract setPosition(member: number, position: number): void;

  /** The smallest member; -1 when empty. */
  get top(): number {
    return this.size === 0 ? -1 : this.items.get(0);
  }

  at(position: number): number {
    return this.items.get(position);
  }

  has(member: number): boolean {
    return this.positionOf(member) >= 0;
  }

  push(member: number): void {
    if (this.size === this.items.capacity) this.items.reserve(Math.max(CAPACITY_MIN, this.size + 1));
    const position = this.size;
    this.size += 1;
    this.#put(member, position);
    this.#up(position);
  }

  /** Call after a member's key changed. */
  update(member: number): void {
    const position = this.positionOf(member);
    this.#up(position);
    this.#down(this.positionOf(member));
  }

  remove(member: number): void {
    const position = this.positionOf(member);
    this.setPosition(member, -1);
    this.size -= 1;
    if (position === this.size) return;
    const last = this.items.get(this.size);
    const parent = (position - 1) >> 1;
    if (position > 0 && this.before(last, this.items.get(parent))) {
      this.#put(last, position);
      this.#up(position);
    } else this.#fill(position, last);
  }

  /** Members in heap order (not sorted); a copy. */
  members(): Int32Array {
    const members = new Int32Array(this.size);
    for (let position = 0; position < members.length; position++) members[position] = this.items.get(position);
    return members;
  }

  /** Puts back what `members` gave, order kept. */
  restore(members: Int32Array): void {
    this.items.reserve(Math.max(CAPACITY_MIN, members.length));
    this.size = members.length;
    for (let position = 0; position < members.length; position++) this.#put(members[position] as number, position);
  }

  /**
   * Members from smallest to largest without changing the heap, O(k log k) for the first k. The heap must not
   * change while walking.
   */
  *ascending(): Generator<number> {
    const frontier: number[] = this.size > 0 ? [0] : [];
    while (frontier.length > 0) {
      let best = 0;
      for (let i = 1; i < frontier.length; i++) {
        if (this.before(this.at(frontier[i] as number), this.at(frontier[best] as number))) best = i;
      }
      const position = frontier[best] as number;
      frontier[best] = frontier[frontier.length - 1] as number;
      frontier.pop();
      yield this.at(position);
      const left = 2 * position + 1;
      if (left < this.size) frontier.push(left);
      if (left + 1 < this.size) frontier.push(left + 1);
    }
  }

  #put(member: number, position: number): void {
    this.items.set(position, member);
    this.setPosition(member, position);
  }

  /**
   * Puts a member of the bottom into the gap at `start`. It most likely belongs at the bottom again, so the gap goes all
   * the way down first, which takes one comparison a level instead of two, and the member then climbs what is too far.
   */
  #fill(start: number, member: number): void {
    let gap = start;
    for (;;) {
      let child = 2 * gap + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.before(this.items.get(child + 1), this.items.get(child))) child += 1;
      this.#put(this.items.get(child), gap);
      gap = child;
    }
    while (gap > start) {
      const parent = (gap - 1) >> 1;
      const above = this.items.get(parent);
      if (!this.before(member, above)) break;
      this.#put(above, gap);
      gap = parent;
    }
    this.#put(member, gap);
  }

  #up(start: number): void {
    let position = start;
    const member = this.items.get(position);
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.items.get(parent);
      if (!this.before(member, above)) break;
      this.#put(above, position);
      position = parent;
    }
    this.#put(member, position);
  }

  #down(start: number): void {
    let position = start;
    const member = this.items.get(position);
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.before(this.items.get(child + 1), this.items.get(child))) child += 1;
      const below = this.items.get(child);
      if (!this.before(below, member)) break;
      this.#put(below, position);
      position = child;
    }
    this.#put(member, position);
  }
}
