// The characters that a message body or a text attribute may hold: those of XML 1.0, since SQS's first protocol
// answers in it. Lone surrogates are not characters at all and fail too.

import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";

/** True for most texts that are fine; surrogates need the closer look, emoji are made of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const SUSPECT = /[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/u;
const ALLOWED = "#x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]";

/** The first character that may not travel, as `#x` and its number; undefined when all may. */
export function forbiddenCharacter(text: string): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  const found = FORBIDDEN.exec(text)?.[0].codePointAt(0);
  return found === undefined ? undefined : `#x${found.toString(16).toUpperCase()}`;
}

export function checkBody(body: string): Refusal | undefined {
  const found = forbiddenCharacter(body);
  if (found === undefined) return undefined;
  return refusal("InvalidMessageContents", forbiddenText(found, "message body"));
}

export function forbiddenText(character: string, place: string): string {
  return `Invalid binary character '${character}' was found in the ${place}, the set of allowed characters is ${ALLOWED}.`;
}
