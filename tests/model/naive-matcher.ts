// What a pattern means, written as plainly as possible: flatten the event, try every combination of values. Takes
// valid patterns only, of the whole language, and knows nothing of how src/engine/pattern does it.

// biome-ignore lint/suspicious/noExplicitAny: patterns and events are any JSON.
type Json = any;

interface Leaf {
  path: string;
  value: Json;
  /** Which element of which array (numbered) it is in. */
  elements: Map<number, number>;
}

export function naiveMatches(pattern: Json, event: Json): boolean {
  const leaves = flatten(event);
  return alternatives(pattern, []).some((fields) => combine([...fields], leaves, []));
}

/** Pairs of a path and what may be there; `$or` makes more than one list. Later pairs replace earlier ones. */
function alternatives(object: Json, path: string[]): Map<string, Json[]>[] {
  let lists = [new Map<string, Json[]>()];
  for (const [key, value] of Object.entries<Json>(object)) {
    const own =
      key === "$or"
        ? value.flatMap((branch: Json) => alternatives(branch, path))
        : Array.isArray(value)
          ? [new Map([[[...path, key].join("."), value]])]
          : alternatives(value, [...path, key]);
    lists = lists.flatMap((list) => own.map((more: Map<string, Json[]>) => new Map([...list, ...more])));
  }
  return lists;
}

function combine([field, ...rest]: [string, Json[]][], leaves: Leaf[], chosen: Leaf[]): boolean {
  if (field === undefined) return true;
  const [path, matches] = field;
  const here = leaves.filter((leaf) => leaf.path === path);
  if (here.length === 0) return matches.some((match) => match?.exists === false) && combine(rest, leaves, chosen);
  return here
    .filter((leaf) => matches.some((match) => passes(match, leaf.value)))
    .filter((leaf) => chosen.every((other) => fits(leaf, other)))
    .some((leaf) => combine(rest, leaves, [...chosen, leaf]));
}

function fits(a: Leaf, b: Leaf): boolean {
  return [...a.elements].every(([array, element]) => (b.elements.get(array) ?? element) === element);
}

function flatten(event: Json): Leaf[] {
  const leaves: Leaf[] = [];
  let arrays = 0;
  const visit = (value: Json, path: string[], elements: Map<number, number>) => {
    if (Array.isArray(value)) {
      const array = arrays++;
      value.forEach((each, index) => {
        visit(each, path, isPlain(each) ? elements : new Map([...elements, [array, index]]));
      });
    } else if (isPlain(value)) leaves.push({ path: path.join("."), value, elements });
    else for (const [key, each] of Object.entries(value)) visit(each, [...path, key], elements);
  };
  visit(event, [], new Map());
  return leaves;
}

function isPlain(value: Json): boolean {
  return typeof value !== "object" || value === null;
}

function passes(match: Json, value: Json): boolean {
  if (isPlain(match)) return match === value;
  const [[operator, operand]] = Object.entries<Json>(match) as [[string, Json]];
  if (operator === "exists") return operand;
  if (operator === "anything-but") return !excluded(operand).some((each) => passes(each, value));
  if (operator === "numeric") return typeof value === "number" && inRange(operand, value);
  if (typeof value !== "string") return false;
  const ignoresCase = typeof operand === "object";
  const text = ignoresCase ? operand["equals-ignore-case"].toLowerCase() : operand;
  const subject = ignoresCase ? value.toLowerCase() : value;
  if (operator === "prefix") return subject.startsWith(text);
  if (operator === "suffix") return subject.endsWith(text);
  if (operator === "equals-ignore-case") return subject.toLowerCase() === text.toLowerCase();
  if (operator === "wildcard") return wildcardPattern(text).test(value);
  return inBlock(text, value);
}

function excluded(operand: Json): Json[] {
  if (isPlain(operand)) return [operand];
  if (Array.isArray(operand)) return operand;
  const [[operator, inner]] = Object.entries<Json>(operand) as [[string, Json]];
  return [inner].flat().map((each) => ({ [operator]: each }));
}

function inRange(operand: Json[], value: number): boolean {
  for (let at = 0; at < operand.length; at += 2) {
    const bound = operand[at + 1];
    const holds = { "=": value === bound, "<": value < bound, "<=": value <= bound, ">": value > bound };
    if (!(holds[operand[at] as keyof typeof holds] ?? value >= bound)) return false;
  }
  return true;
}

function wildcardPattern(text: string): RegExp {
  const source = text.replace(/\\([\\*])|\*|[^\w\s]/g, (whole, escaped) => {
    if (escaped !== undefined) return `\\${escaped}`;
    return whole === "*" ? ".*" : `\\${whole}`;
  });
  return new RegExp(`^${source}$`, "s");
}

/** Version 4 only. */
function inBlock(block: string, address: string): boolean {
  const [network, bits] = block.split("/") as [string, string];
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return false;
  const number = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return Math.floor(number(address) / size) === Math.floor(number(network) / size);
}
