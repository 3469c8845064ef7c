// Array consistency: when several fields of a pattern lie in one array of the event, the values that pass must lie in
// the same element. Every value knows its place, the elements it is in from the inside out; two values fit together
// unless they are in different elements of one array. Linear in the values that passed, times the depth of arrays.

export interface Place {
  /** Counted per event. */
  array: number;
  element: number;
  outer: Place | undefined;
}

/** From the outside in. */
type Trail = readonly Place[];

/** `options` has the places of the passing values, by field. True when one can be taken of each, all fitting together. */
export function fitTogether(options: readonly (readonly Place[])[]): boolean {
  return areConsistent(options.map((places) => places.map(trailTo)));
}

function trailTo(place: Place): Trail {
  const trail: Place[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.outer) trail.push(at);
  return trail.reverse();
}

function areConsistent(fields: readonly (readonly Trail[])[]): boolean {
  // A value in no array fits with anything; and so does whichever value a lone field takes.
  const bound = fields.filter((trails) => trails.every((trail) => trail.length > 0));
  if (bound.length < 2) return true;
  return groupsByArray(bound).every((group) => group.length < 2 || isGroupConsistent(group));
}

/** Fields whose values begin in the same arrays must agree; groups without a common array do not care. */
function groupsByArray(fields: readonly (readonly Trail[])[]): (readonly Trail[])[][] {
  // Nearly always there is one array, and nothing to sort out.
  const array = fields[0]?.[0]?.[0]?.array;
  if (fields.every((trails) => trails.every((trail) => trail[0]?.array === array))) return [[...fields]];
  let groups: { arrays: Set<number>; fields: (readonly Trail[])[] }[] = [];
  for (const trails of fields) {
    const merged = { arrays: new Set(trails.map((trail) => (trail[0] as Place).array)), fields: [trails] };
    const strangers = groups.filter((group) => ![...group.arrays].some((array) => merged.arrays.has(array)));
    for (const group of groups) {
      if (strangers.includes(group)) continue;
      for (const array of group.arrays) merged.arrays.add(array);
      merged.fields.push(...group.fields);
    }
    groups = [...strangers, merged];
  }
  return groups.map((group) => group.fields);
}

/** Tries each element that the first field has a value in. More than one array only comes from keys with dots. */
function isGroupConsistent(group: readonly (readonly Trail[])[]): boolean {
  const [first, ...others] = group as [readonly Trail[], ...(readonly Trail[])[]];
  for (const array of new Set(first.map((trail) => (trail[0] as Place).array))) {
    const choices = byElement(first, array);
    const rest = others.map((trails) => ({
      inside: byElement(trails, array),
      elsewhere: trails.filter((trail) => trail[0]?.array !== array),
    }));
    for (const [element, trails] of choices) {
      const left = rest.map(({ inside, elsewhere }) => [...(inside.get(element) ?? []), ...elsewhere]);
      if (left.every((choice) => choice.length > 0) && areConsistent([trails, ...left])) return true;
    }
  }
  return false;
}

/** What is left of the trails through `array`, by the element they take. */
function byElement(trails: readonly Trail[], array: number): Map<number, Trail[]> {
  const found = new Map<number, Trail[]>();
  for (const [head, ...rest] of trails) {
    if (head?.array !== array) continue;
    const same = found.get(head.element);
    if (same === undefined) found.set(head.element, [rest]);
    else same.push(rest);
  }
  return found;
}
