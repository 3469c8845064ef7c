// What may be a version: a whole number that grows, of any size. FIFO's sequence numbers have 20 digits, which a
// JavaScript number does not hold, so versions are bigints inside and decimal texts in the stores.

/** 128 bits have 39. */
const DIGITS_MAX = 40;

/** The version, or in words why there is none. */
export function versionOf(value: unknown): bigint | string {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return `${value} is no whole number that is exact; give large ones as text`;
    return nonNegative(BigInt(value));
  }
  if (typeof value === "string")
    return /^\d+$/.test(value) ? nonNegative(BigInt(value)) : `"${value}" is not made of digits alone`;
  if (typeof value === "bigint") return nonNegative(value);
  return `it is ${value === null ? "null" : `of type ${typeof value}`}, not a number`;
}

function nonNegative(version: bigint): bigint | string {
  if (version < 0n) return `${version} is less than 0`;
  return version.toString().length > DIGITS_MAX ? `it has more than ${DIGITS_MAX} digits` : version;
}
