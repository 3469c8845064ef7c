// What is said about a text that is no JSON, in the words of the parser behind AWS (fanout.md A12).

const WORD = /^[A-Za-z_$][\w$]*/;
const LITERALS = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

/** Why `text` is no JSON; AWS adds the place in the text, and nobody is known to read it. */
export function jsonFault(text: string): string {
  const word = WORD.exec(text.trim())?.[0];
  if (word !== undefined) return `Unrecognized token '${word}': was expecting ${LITERALS}`;
  return text.trim() === "" ? "No content to map due to end-of-input" : "Unexpected character or end-of-input";
}
