// JSON texts compared by meaning: AWS takes two policies for the same whatever the order of their members.

/** Equal for texts that mean the same; a text that is no JSON stands for itself. */
export function canonicalJson(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
}

/** Member order does not matter, nor whether a number came as text: AWS takes `"3"` for 3 in a redrive policy. */
function sorted(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, member]) => [key, sorted(member)]);
}
