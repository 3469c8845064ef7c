// Patterns of policies: `*` is any run of characters, `?` any one. The cost is O(text × pattern) at worst.

export function matchesText(pattern: string, text: string): boolean {
  let [at, here] = [0, 0];
  let [star, resume] = [-1, 0];
  while (here < text.length) {
    if (at < pattern.length && pattern[at] === "*") {
      [star, resume] = [at, here];
      at++;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[here])) {
      at++;
      here++;
    } else if (star >= 0) {
      // The last star takes one character more; earlier ones cannot do better than they did.
      resume++;
      [at, here] = [star + 1, resume];
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

const ARN_PARTS = 6;

/** ARNs part by part, so that a `*` does not reach over a colon; the sixth part is all the rest. */
export function matchesArn(pattern: string, arn: string): boolean {
  const [patterns, parts] = [arnParts(pattern), arnParts(arn)];
  if (patterns === undefined || parts === undefined) return pattern === "*";
  return patterns.every((part, index) => matchesText(part, parts[index] as string));
}

function arnParts(arn: string): string[] | undefined {
  const parts = arn.split(":");
  if (parts.length < ARN_PARTS || parts[0] !== "arn") return undefined;
  return [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(":")];
}
