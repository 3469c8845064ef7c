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
  "x-amzn-query-mode",
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

interface Candidate {
  index: number;
  lowerCase: Uint8Array;
}

const NO_CANDIDATES: Candidate[] = [];
const LONGEST = Math.max(...KNOWN_HEADERS.map(({ length }) => length));
const byLength: Candidate[][] = Array.from({ length: LONGEST + 1 }, (_, length) =>
  KNOWN_HEADERS.flatMap((name, index) => (name.length === length ? [{ index, lowerCase: Buffer.from(name) }] : [])),
);

/** The index in KNOWN_HEADERS of the name between two positions, or -1. The bytes are known to be a token. */
export function knownHeader(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const candidates = length <= LONGEST ? (byLength[length] as Candidate[]) : NO_CANDIDATES;
  for (let nth = 0; nth < candidates.length; nth++) {
    const { index, lowerCase } = candidates[nth] as Candidate;
    if (isSame(bytes, start, lowerCase)) return index;
  }
  return -1;
}

/** Setting bit 5 turns upper into lower case, and no other token character into one that our names have. */
export function isSame(bytes: Uint8Array, start: number, lowerCase: Uint8Array): boolean {
  for (let index = lowerCase.length - 1; index >= 0; index--) {
    if (((bytes[start + index] as number) | 0x20) !== lowerCase[index]) return false;
  }
  return true;
}
