// Wildcard patterns: `*` is any run of characters, also none; `\*` and `\\` are the characters themselves. A pattern is
// kept as the literal pieces between its wildcards: `a*b` is ["a", "b"], `*` is ["", ""].

export type Wildcard = { ok: true; pieces: string[] } | { ok: false; message: string };

/** Positions in messages count from the opening quote, as AWS's do. */
export function parseWildcard(text: string): Wildcard {
  const pieces: string[] = [];
  let piece = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    const next = text[at + 1];
    if (character === "*") {
      if (next === "*") return { ok: false, message: `Consecutive wildcard characters at pos ${at + 1}` };
      pieces.push(piece);
      piece = "";
    } else if (character === "\\") {
      if (next !== "*" && next !== "\\") return { ok: false, message: `Invalid escape character at pos ${at + 1}` };
      piece += next;
      at++;
    } else piece += character;
  }
  return { ok: true, pieces: [...pieces, piece] };
}

/**
 * Takes the leftmost place for each piece, which leaves the most room for the rest, so there is nothing to go back to:
 * O(characters × pieces) at worst.
 */
export function matchesWildcard(pieces: readonly string[], value: string): boolean {
  const first = pieces[0] as string;
  const last = pieces[pieces.length - 1] as string;
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  let at = first.length;
  const end = value.length - last.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] as string;
    const found = value.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** Pieces after a wildcard that may begin alike, and wildcards in all. Where AWS draws the line is not published. */
const ALIKE_MAX = 4;
const WILDCARDS_MAX = 50;

/**
 * Many pieces that begin alike after a wildcard make an automaton hold many places at once, and AWS refuses them:
 * the star, colon, star, colon of `*:*:*:*:*:event-bus/*` is its own example. Ours would manage; a rule that AWS
 * refuses should still not come as a surprise there.
 */
export function isTooComplex(pieces: readonly string[]): boolean {
  if (pieces.length > WILDCARDS_MAX) return true;
  const countByStart = new Map<string, number>();
  for (const piece of pieces.slice(1)) {
    const start = piece.slice(0, 1);
    if (start !== "") countByStart.set(start, (countByStart.get(start) ?? 0) + 1);
  }
  return [...countByStart.values()].some((count) => count > ALIKE_MAX);
}
