// The form of message group ids, deduplication ids and receive attempt ids: 1 to 128 visible ASCII characters.
// Whether a queue needs or allows them depends on its type and is the engine's to say.

import { FIFO_ID_CHARACTERS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidValue } from "../../engine/refusal.ts";

const VISIBLE_ASCII = /^[!-~]+$/;

/** An empty text is refused like any other bad one, also on standard queues. */
export function checkFifoId(value: string | undefined, parameter: string): Refusal | undefined {
  if (value === undefined) return undefined;
  if (value.length <= FIFO_ID_CHARACTERS_MAX && VISIBLE_ASCII.test(value)) return undefined;
  const reason = `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`;
  return invalidValue(value, parameter, reason);
}
