// Values that break readers: what the generators of requests, records and files mix into things that are well formed.

import fc from "fast-check";

const LONG = "x".repeat(5000);

const NOTABLE_TEXTS = [
  "",
  " ",
  "\u0000",
  "\u0001\u001f",
  "\u007f\u0085\u2028",
  "\ud800",
  "a\udc00b",
  "\ufffe\uffff",
  "é🐸",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "then",
  "../../etc/passwd",
  "%",
  "%zz%c3%28",
  "]]><!--<&>\"'",
  "&#0;",
  "\r\n\r\nHTTP/1.1 200 OK",
  "-1",
  "00",
  "1e999",
  "0x10",
  "9007199254740993",
  "99999999999999999999999999",
  "NaN",
  "null",
  "[]",
  "{}",
  '{"a":',
  "https://",
  "https://h/",
  "http://[::1",
  "arn:aws:sqs:us-east-1:000000000000:",
  "arn:aws:sqs:::",
  "=",
  "AAA",
  "A===",
  LONG,
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NOTABLE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
);

export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 1e300, -1e300, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53, Number.MIN_VALUE),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Anything JSON can say, prototype names among the keys. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, [], {}, [null], [[]]),
    hostileNumber,
    hostileText,
    fc.array(tie("value"), { maxLength: 12 }),
    // Made from entries, so that `__proto__` is a key like any other.
    fc.array(fc.tuple(hostileText, tie("value")), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
})).value;

/** Numbers that length fields and counts go wrong with. */
const NOTABLE_BYTES = [
  "00",
  "ff",
  "7f",
  "80",
  "0000",
  "ffff",
  "00000000",
  "ffffffff",
  "ffffff7f",
  "00000080",
  "01000000",
];

export type Damage =
  | { do: "flip"; at: number; bit: number }
  | { do: "overwrite"; at: number; bytes: Uint8Array }
  | { do: "insert"; at: number; bytes: Uint8Array }
  | { do: "remove"; at: number; count: number }
  | { do: "repeat"; at: number; count: number; to: number }
  | { do: "cut"; at: number };

/** Below 1 a fraction, so that one damage fits bytes of every length; else a place in the headers at the start. */
const place = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.integer({ min: 1, max: 200 }));

export function placeIn(bytes: Uint8Array, at: number): number {
  return at < 1 ? Math.floor(at * bytes.length) : Math.min(at, Math.max(0, bytes.length - 1));
}

const few = fc.oneof(
  fc.constantFrom(...NOTABLE_BYTES).map((hex) => Uint8Array.from(Buffer.from(hex, "hex"))),
  fc.uint8Array({ minLength: 1, maxLength: 16 }),
);

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("flip" as const), at: place, bit: fc.nat(7) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("overwrite" as const), at: place, bytes: few }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("insert" as const), at: place, bytes: few }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("remove" as const), at: place, count: fc.integer({ min: 1, max: 64 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("repeat" as const),
      at: place,
      count: fc.integer({ min: 1, max: 256 }),
      to: place,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), at: place }) },
);

export const damages: fc.Arbitrary<Damage[]> = fc.array(damage, { minLength: 1, maxLength: 4 });

export function damaged(bytes: Uint8Array, given: readonly Damage[]): Buffer {
  return given.reduce<Buffer>(damageOnce, Buffer.from(bytes));
}

function damageOnce(bytes: Buffer, given: Damage): Buffer {
  const at = placeIn(bytes, given.at);
  if (bytes.length === 0) return given.do === "insert" ? Buffer.from(given.bytes) : bytes;
  switch (given.do) {
    case "flip":
      bytes[at] = (bytes[at] as number) ^ (1 << given.bit);
      return bytes;
    case "overwrite":
      bytes.set(given.bytes.subarray(0, bytes.length - at), at);
      return bytes;
    case "insert":
      return Buffer.concat([bytes.subarray(0, at), given.bytes, bytes.subarray(at)]);
    case "remove":
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + given.count)]);
    case "repeat": {
      const to = placeIn(bytes, given.to);
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, at + given.count), bytes.subarray(to)]);
    }
    case "cut":
      return bytes.subarray(0, at);
  }
}
