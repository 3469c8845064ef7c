// Texts as JSON writes them, for answers that are put together by hand. Looking whether a text needs escapes costs a
// third of what JSON.stringify takes to find out; most do not, or say so with their first quotation mark.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\x00-\x1f]/;

/** What JSON.stringify gives for a text without halves of characters, such as one that was decoded from UTF-8. */
export function quoted(text: string): string {
  if (text.includes('"') || text.includes("\\") || CONTROL.test(text)) return JSON.stringify(text);
  return `"${text}"`;
}
