import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IndexedHeap } from "./indexed-heap.ts";

class NumberHeap extends IndexedHeap {
  readonly keys = new Map<number, number>();
  readonly positions = new Map<number, number>();

  protected override before(a: number, b: number): boolean {
    return (this.keys.get(a) as number) < (this.keys.get(b) as number);
  }

  protected override positionOf(member: number): number {
    return this.positions.get(member) ?? -1;
  }

  protected override setPosition(member: number, position: number): void {
    this.positions.set(member, position);
  }
}

const change = fc.record({ member: fc.nat(20), key: fc.nat(1000), remove: fc.boolean() });

test("the top is always the smallest, whatever was pushed, moved and removed", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
      const heap = new NumberHeap();
      const expected = new Map<number, number>();
      for (const { member, key, remove } of changes) {
        // Ties are broken by member, so that there is one right order.
        const unique = key * 100 + member;
        if (remove && heap.has(member)) {
          heap.remove(member);
          expected.delete(member);
        } else {
          heap.keys.set(member, unique);
          if (heap.has(member)) heap.update(member);
          else heap.push(member);
          expected.set(member, unique);
        }
        const sorted = [...expected].sort((a, b) => a[1] - b[1]).map(([each]) => each);
        assert.equal(heap.top, sorted[0] ?? -1);
        assert.deepEqual([...heap.ascending()], sorted);
      }
    }),
  );
});

test("a heap is put back exactly as its members stood", () => {
  const heap = new NumberHeap();
  for (const [member, key] of [5, 3, 9, 1, 7].entries()) {
    heap.keys.set(member, key);
    heap.push(member);
  }
  const copy = new NumberHeap();
  for (const [member, key] of heap.keys) copy.keys.set(member, key);
  copy.restore(heap.members().slice());
  assert.deepEqual([...copy.members()], [...heap.members()]);
  copy.remove(copy.top);
  heap.remove(heap.top);
  assert.deepEqual([...copy.members()], [...heap.members()]);
});
