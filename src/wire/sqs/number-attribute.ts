// Which texts a message attribute of type Number may hold: up to 38 significant digits, from 10^-128 to 10^126 in
// size (developer guide, "message attribute data types"). Decided on the text, since a double holds only 17 digits.

import { NUMBER_ATTRIBUTE_DIGITS_MAX } from "../../engine/limits.ts";

const NUMBER = /^[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;
const EXPONENT_MIN = -128;
const EXPONENT_MAX = 126;

export function isNumberAttribute(text: string): boolean {
  const match = NUMBER.exec(text);
  if (match === null) return false;
  const whole = match[1] ?? "";
  const fraction = match[2] ?? "";
  const digits = whole + fraction;
  if (digits === "") return false;
  const leadingZeros = digits.length - digits.replace(/^0+/, "").length;
  if (leadingZeros === digits.length) return true;
  const significant = digits.slice(leadingZeros).replace(/0+$/, "");
  if (significant.length > NUMBER_ATTRIBUTE_DIGITS_MAX) return false;
  // The power of ten of the first significant digit.
  const magnitude = Number(match[3] ?? 0) + whole.length - leadingZeros - 1;
  return magnitude >= EXPONENT_MIN && (magnitude < EXPONENT_MAX || (magnitude === EXPONENT_MAX && significant === "1"));
}
