import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Lanes } from "./lanes.ts";

interface Member {
  lane: string | undefined;
  order: number;
}

test("members of a lane leave in order, as many at a time as the limit says, and lanes take turns", () => {
  const lanes = new Lanes<Member>(1);
  for (const [order, lane] of ["a", "a", "b", undefined, undefined].entries()) lanes.add({ lane, order });
  assert.equal(lanes.startable, 4);
  const first = [lanes.next(), lanes.next(), lanes.next(), lanes.next(), lanes.next()];
  assert.deepEqual(
    first.map((member) => member?.order),
    [0, 2, 3, 4, undefined],
  );
  lanes.finish(first[0] as Member);
  assert.equal(lanes.next()?.order, 1);
  assert.equal(lanes.waiting, 0);
});

test("whatever is done, counts agree and no lane runs more than its limit", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), lane: fc.constantFrom("a", "b", "c", undefined) }),
    fc.record({
      do: fc.constantFrom("next" as const, "finish" as const, "again" as const, "remove" as const),
      lane: fc.constant(undefined),
    }),
    fc.record({ do: fc.constant("takeLane" as const), lane: fc.constantFrom("a", "b", undefined) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 3 }), (steps, limit) => {
      const lanes = new Lanes<Member>(limit);
      const waiting: Member[] = [];
      const running: Member[] = [];
      let order = 0;
      for (const each of steps) {
        if (each.do === "add") {
          const member = { lane: each.lane, order: order++ };
          lanes.add(member);
          waiting.push(member);
        } else if (each.do === "next") {
          const member = lanes.next();
          const mayLeave = (one: Member) =>
            one.lane === undefined || running.filter(({ lane }) => lane === one.lane).length < limit;
          assert.equal(member === undefined, !waiting.some(mayLeave));
          if (member === undefined) continue;
          assert.ok(mayLeave(member));
          assert.equal(
            member,
            waiting.find(({ lane }) => lane === member.lane),
            "first come, first out",
          );
          waiting.splice(waiting.indexOf(member), 1);
          running.push(member);
        } else if (each.do === "finish" || each.do === "again") {
          const member = running.shift();
          if (member === undefined) continue;
          lanes.finish(member);
          if (each.do === "finish") continue;
          lanes.addFirst(member);
          waiting.unshift(member);
        } else if (each.do === "remove") {
          const member = waiting.pop();
          if (member !== undefined) assert.ok(lanes.remove(member));
        } else {
          const taken = lanes.takeLane(each.lane);
          const expected = waiting.filter(({ lane }) => lane === each.lane);
          assert.deepEqual(taken, expected);
          for (const member of taken) waiting.splice(waiting.indexOf(member), 1);
        }
        assert.equal(lanes.waiting, waiting.length);
      }
    }),
  );
});
