// What may be a key. Mistakes that make one key out of many messages are caught here: the second payment would be taken
// for a repeat of the first and silently not made.

/** DynamoDB and PostgreSQL's index take about 2,000 bytes; half of it leaves room for the scope. */
const KEY_BYTES_MAX = 1_000;

/** What a template or String() makes of a field that is not there. */
const LOOKS_FORGOTTEN = ["undefined", "null", "NaN", "[object Object]"];

/** Why `key` cannot be one, or undefined when it can. */
export function problemWithKey(key: unknown): string | undefined {
  if (typeof key !== "string") return `it is ${key === null ? "null" : `of type ${typeof key}`}, not a string`;
  if (key.trim() === "") return "it is empty";
  if (LOOKS_FORGOTTEN.includes(key)) return `"${key}" is what a missing field becomes in a string`;
  if (key.includes("\0")) return "it contains a zero character";
  if (/\p{Surrogate}/u.test(key)) return "it contains half of a surrogate pair";
  const bytes = Buffer.byteLength(key);
  if (bytes > KEY_BYTES_MAX) return `it has ${bytes} bytes; at most ${KEY_BYTES_MAX} are allowed`;
  return undefined;
}

/** Scope and key as one string in which neither can pose as part of the other. */
export function joinId(id: { scope: string; key: string }): string {
  return `${encodeURIComponent(id.scope)}#${id.key}`;
}
