// The headers that the server reads, as small numbers, found in a request's bytes without making strings. Adding one
// here makes reading it cheap; reading any other works too (request-headers.ts).

export const KNOWN_HEADERS = [
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "expect",
  "content-type",
  "authorization",
  "x-amz-target",
  "accept",
  "origin",
  "sec-fetch-site",
  "x-amzn-trace-id",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
] as const;

export type KnownHeader = (typeof KNOWN_HEADERS)[number];

export const Known = Object.fromEntries(KNOWN_HEADERS.map((name, index) => [name, index])) as Record<
  KnownHeader,
  number
>;

/** Lists by nature: two lines of them mean one line with a comma. Of the others a second one is refused. */
const LISTS: KnownHeader[] = [
  "connection",
  "accept",
  "x-amzn-trace-id",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
];
export const MAY_REPEAT = LISTS.reduce((bits, name) => bits | (1 << Known[name]), 0);

const LOWER_CASE: Uint8Array[] = KNOWN_HEADERS.map((name) => Buffer.from(name));
const LENGTH_MIN = 4;
const LENGTH_MAX = Math.max(...KNOWN_HEADERS.map(({ length }) => length));
/** Which one a name may be, by its length and its fourth letter from the end, which no two of them share. */
const candidates = new Int8Array(32 * (LENGTH_MAX + 1)).fill(-1);
for (const [index, name] of LOWER_CASE.entries()) {
  const slot = slotOf(name, 0, name.length);
  if (candidates[slot] !== -1) throw new Error(`another letter must tell ${KNOWN_HEADERS[index]} from the others`);
  candidates[slot] = index;
}

/** The index in KNOWN_HEADERS of the name between two positions, or -1. The bytes are known to be a token. */
export function knownHeader(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < LENGTH_MIN || length > LENGTH_MAX) return -1;
  const index = candidates[slotOf(bytes, start, end)] as number;
  if (index < 0) return -1;
  return isSame(bytes, start, LOWER_CASE[index] as Uint8Array) ? index : -1;
}

function slotOf(bytes: Uint8Array, start: number, end: number): number {
  return 32 * (end - start) + ((bytes[end - LENGTH_MIN] as number) & 0x1f);
}

/** Setting bit 5 turns upper into lower case, and no other token character into one that our names have. */
export function isSame(bytes: Uint8Array, start: number, lowerCase: Uint8Array): boolean {
  for (let index = lowerCase.length - 1; index >= 0; index--) {
    if (((bytes[start + index] as number) | 0x20) !== lowerCase[index]) return false;
  }
  return true;
}
