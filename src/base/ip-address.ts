// IP addresses as text that sorts like the address: the version's digit, then hexadecimal of fixed width. A range of
// addresses is then a range of strings, and the two versions never overlap.

const V4_GROUPS = 4;
const V6_GROUPS = 8;

/** `4` and 8 hexadecimal digits, `6` and 32 of them, or undefined when the text is no address. */
export function addressKey(text: string): string | undefined {
  return text.includes(":") ? v6Key(text) : v4Key(text);
}

function v4Key(text: string): string | undefined {
  const digits = v4Digits(text);
  return digits === undefined ? undefined : `4${digits}`;
}

function v4Digits(text: string): string | undefined {
  const groups = text.split(".");
  if (groups.length !== V4_GROUPS || !groups.every((group) => /^\d{1,3}$/.test(group) && Number(group) < 256)) {
    return undefined;
  }
  return groups.map((group) => Number(group).toString(16).padStart(2, "0")).join("");
}

function v6Key(text: string): string | undefined {
  const halves = withV6Tail(text)?.split("::");
  if (halves === undefined || halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = V6_GROUPS - head.length - tail.length;
  const isComplete = halves.length === 2 ? missing > 0 : missing === 0;
  const groups = [...head, ...new Array(Math.max(0, missing)).fill("0"), ...tail];
  if (!isComplete || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return `6${groups.map((group) => group.toLowerCase().padStart(4, "0")).join("")}`;
}

/** `::ffff:10.0.0.1` ends in a version 4 address: two groups of ours. */
function withV6Tail(text: string): string | undefined {
  if (!text.includes(".")) return text;
  const cut = text.lastIndexOf(":") + 1;
  const digits = v4Digits(text.slice(cut));
  return digits === undefined ? undefined : `${text.slice(0, cut)}${digits.slice(0, 4)}:${digits.slice(4)}`;
}

/** The first and the last address whose first `bits` bits are those of `key`. */
export function blockOf(key: string, bits: number): { low: string; high: string } {
  const digits = key.slice(1);
  const whole = Math.floor(bits / 4);
  if (whole === digits.length) return { low: key, high: key };
  const variable = 0xf >> (bits % 4);
  const digit = Number.parseInt(digits[whole] as string, 16);
  const start = key.slice(0, 1 + whole);
  const rest = digits.length - whole - 1;
  return {
    low: `${start}${(digit & ~variable).toString(16)}${"0".repeat(rest)}`,
    high: `${start}${(digit | variable).toString(16)}${"f".repeat(rest)}`,
  };
}
