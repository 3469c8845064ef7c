// One field that some pattern names, with the values that the event at hand has there. Rules that ask the same of a
// field share one requirement, so that it is worked out at most once for an event.

import type { Place } from "./array-consistency.ts";
import type { Scalar } from "./json.ts";
import { ValueIndex } from "./value-index.ts";
import { type FieldTest, passes, testsKey, type ValueTest } from "./value-test.ts";

/** Outcome of a requirement: not met, met, or met only by values inside arrays, at these places. */
export type Outcome = boolean | readonly Place[];

export interface Requirement<Member> {
  readonly field: Field<Member>;
  readonly key: string;
  readonly tests: readonly FieldTest[];
  readonly isAbsenceEnough: boolean;
  readonly equal: ReadonlySet<Scalar>;
  readonly others: readonly ValueTest[];
  usersCount: number;
  /** The event that `outcome` is about. */
  event: number;
  outcome: Outcome;
}

/** `Member` is who waits for values: the alternatives of rules. */
export class Field<Member> {
  readonly path: string;
  readonly index = new ValueIndex<Member>();
  /** Those who wait for an event without this field. */
  readonly awaitingAbsence: Member[] = [];
  readonly requirements = new Map<string, Requirement<Member>>();
  /** The event that the values are of. */
  event = 0;
  readonly values: Scalar[] = [];
  readonly places: (Place | undefined)[] = [];

  constructor(path: string) {
    this.path = path;
  }

  require(tests: readonly FieldTest[]): Requirement<Member> {
    const key = testsKey(tests);
    let requirement = this.requirements.get(key);
    if (requirement === undefined) {
      requirement = newRequirement(this, key, tests);
      this.requirements.set(key, requirement);
    }
    requirement.usersCount++;
    return requirement;
  }

  release(requirement: Requirement<Member>): void {
    if (--requirement.usersCount === 0) this.requirements.delete(requirement.key);
  }

  outcome(requirement: Requirement<Member>, event: number): Outcome {
    if (requirement.event !== event) {
      requirement.event = event;
      requirement.outcome = this.event === event ? this.#judge(requirement) : requirement.isAbsenceEnough;
    }
    return requirement.outcome;
  }

  #judge({ equal, others }: Requirement<Member>): Outcome {
    const places: Place[] = [];
    for (let at = 0; at < this.values.length; at++) {
      const value = this.values[at] as Scalar;
      if (!equal.has(value) && !others.some((test) => passes(test, value))) continue;
      const place = this.places[at];
      if (place === undefined) return true;
      places.push(place);
    }
    return places.length > 0 && places;
  }
}

function newRequirement<Member>(field: Field<Member>, key: string, tests: readonly FieldTest[]): Requirement<Member> {
  const isAbsenceEnough = tests.some((test) => test.is === "absent");
  const equal = new Set(tests.flatMap((test) => (test.is === "equals" ? [test.value] : [])));
  const others = tests.filter((test): test is ValueTest => test.is !== "equals" && test.is !== "absent");
  return { field, key, tests, isAbsenceEnough, equal, others, usersCount: 0, event: 0, outcome: false };
}
