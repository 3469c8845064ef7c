// The CRC-32 of two byte strings one after the other, from the CRC of each: what comes first in a file may depend on
// what is written after it. A CRC is a remainder of polynomials over GF(2), so n bytes behind a string multiply its
// CRC by x^8n. Polynomials are kept as the CRC is: the highest bit is the coefficient of x^0.

const POLYNOMIAL = 0xedb8_8320;
const ONE = 0x8000_0000;
const X_TO_THE_8TH = ONE >>> 8;

export function joinedCrc(first: number, second: number, secondBytes: number): number {
  let power = X_TO_THE_8TH;
  let shifted = first >>> 0;
  for (let rest = secondBytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shifted = times(shifted, power);
    power = times(power, power);
  }
  return (shifted ^ second) >>> 0;
}

/** Product modulo the polynomial. */
function times(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}
