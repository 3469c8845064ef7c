// Matches an event against many patterns at once, without a pass per pattern. Every alternative of a pattern waits at
// one of its fields, the one that seemed least crowded when it was added; the values of the event bring up those whose
// tests there hold (value-index.ts), and for these the other fields are looked at, each question once per event
// (field.ts). Where arrays are involved, the passing values must lie in the same elements (array-consistency.ts).
//
// Cost of a match: O(keys of the event under paths that patterns name + characters of the values named
// + log ranges + candidates × their fields), whatever the number of patterns. Candidates are the alternatives brought
// up; only patterns that are all anything-but or exists are candidates for nearly every event, and answers to it as
// well. Adding and removing cost O(size of the pattern), and one rebuild of a field's ranges if it has such.

import { assert } from "../../base/assert.ts";
import { fitTogether, type Place } from "./array-consistency.ts";
import type { Field, Requirement } from "./field.ts";
import { FieldTree } from "./field-tree.ts";
import { isObject, type Json } from "./json.ts";
import type { Alternative, Pattern } from "./pattern.ts";
import type { Entry } from "./value-index.ts";
import { type FieldTest, testKey } from "./value-test.ts";

interface Rule<Id> {
  id: Id;
  /** By when they were added: answers come in this order. */
  order: number;
  waiters: Waiter<Id>[];
  /** The event it was last found to match. */
  matched: number;
}

/** An alternative of a rule. */
interface Waiter<Id> {
  rule: Rule<Id>;
  /** The first is where it waits. */
  requirements: Requirement<Waiter<Id>>[];
  /** The event it was last brought up by. */
  seen: number;
}

/** What a wait for a field's absence counts as: most events lack most fields. */
const ABSENCE_CROWD = 1000;

export class Matcher<Id> {
  readonly #rules = new Map<Id, Rule<Id>>();
  readonly #tree = new FieldTree<Waiter<Id>>();
  readonly #awaitingAbsence = new Set<Field<Waiter<Id>>>();
  #event = 0;
  #added = 0;

  get size(): number {
    return this.#rules.size;
  }

  /** An id that is there already gets the new pattern, and a new place in the order of answers. */
  add(id: Id, pattern: Pattern): void {
    this.remove(id);
    const rule: Rule<Id> = { id, order: this.#added++, waiters: [], matched: 0 };
    this.#rules.set(id, rule);
    for (const alternative of pattern.alternatives) rule.waiters.push(this.#wait(rule, alternative));
  }

  remove(id: Id): boolean {
    const rule = this.#rules.get(id);
    if (rule === undefined) return false;
    this.#rules.delete(id);
    for (const waiter of rule.waiters) this.#leave(waiter);
    return true;
  }

  /** The ids whose patterns the event matches, each once, in the order they were added. None unless it is an object. */
  match(event: Json): Id[] {
    if (!isObject(event) || this.#rules.size === 0) return [];
    this.#event++;
    const matched: Rule<Id>[] = [];
    const fields = this.#tree.spread(event, this.#event);
    for (const field of fields) this.#bringUp(field, matched);
    for (const field of this.#awaitingAbsence) {
      if (field.event !== this.#event) this.#consider(field.awaitingAbsence, matched);
    }
    for (const field of fields) {
      field.values.length = 0;
      field.places.length = 0;
    }
    return matched.sort((a, b) => a.order - b.order).map(({ id }) => id);
  }

  #wait(rule: Rule<Id>, alternative: Alternative): Waiter<Id> {
    const requirements = [...alternative].map(([path, tests]) => this.#tree.field(path).require(tests));
    const crowds = requirements.map(({ field, tests }) => crowdOf(field, tests));
    const least = crowds.indexOf(Math.min(...crowds));
    assert(least >= 0, "a compiled pattern has a field in each alternative");
    requirements.unshift(...requirements.splice(least, 1));
    const waiter: Waiter<Id> = { rule, requirements, seen: 0 };
    const { field, tests } = requirements[0] as Requirement<Waiter<Id>>;
    for (const test of withoutRepeats(tests)) {
      if (test.is !== "absent") field.index.add(test, waiter);
      else {
        field.awaitingAbsence.push(waiter);
        this.#awaitingAbsence.add(field);
      }
    }
    return waiter;
  }

  #leave(waiter: Waiter<Id>): void {
    const { field, tests } = waiter.requirements[0] as Requirement<Waiter<Id>>;
    for (const test of withoutRepeats(tests)) {
      if (test.is !== "absent") field.index.remove(test, waiter);
      else field.awaitingAbsence.splice(field.awaitingAbsence.indexOf(waiter), 1);
    }
    if (field.awaitingAbsence.length === 0) this.#awaitingAbsence.delete(field);
    for (const requirement of waiter.requirements) {
      requirement.field.release(requirement);
      if (requirement.field.requirements.size === 0) this.#tree.prune(requirement.field);
    }
  }

  #bringUp(field: Field<Waiter<Id>>, matched: Rule<Id>[]): void {
    if (field.index.isEmpty) return;
    const found: Entry<Waiter<Id>>[] = [];
    for (const value of field.values) field.index.collect(value, found);
    for (const { members } of found) this.#consider(members, matched);
  }

  #consider(waiters: readonly Waiter<Id>[], matched: Rule<Id>[]): void {
    for (const waiter of waiters) {
      const { rule } = waiter;
      if (waiter.seen === this.#event || rule.matched === this.#event) continue;
      waiter.seen = this.#event;
      if (!this.#holds(waiter)) continue;
      rule.matched = this.#event;
      matched.push(rule);
    }
  }

  #holds({ requirements }: Waiter<Id>): boolean {
    // Being brought up was the proof of the first; it counts again where its places must fit those of the others.
    if (requirements.length === 1) return true;
    const inArrays: (readonly Place[])[] = [];
    for (let at = requirements.length - 1; at >= 0; at--) {
      const requirement = requirements[at] as Requirement<Waiter<Id>>;
      if (at === 0 && inArrays.length === 0) return true;
      const outcome = requirement.field.outcome(requirement, this.#event);
      if (outcome === false) return false;
      if (outcome !== true) inArrays.push(outcome);
    }
    return inArrays.length < 2 || fitTogether(inArrays);
  }
}

function crowdOf<Id>(field: Field<Waiter<Id>>, tests: readonly FieldTest[]): number {
  let sum = 0;
  for (const test of tests) {
    sum += test.is === "absent" ? ABSENCE_CROWD + field.awaitingAbsence.length : field.index.crowd(test);
  }
  return sum;
}

/** The same test twice in one field would make one waiter wait twice. */
function withoutRepeats(tests: readonly FieldTest[]): readonly FieldTest[] {
  if (tests.length === 1) return tests;
  return [...new Map(tests.map((test) => [testKey(test), test])).values()];
}
