// CIDR blocks in patterns, with the errors that AWS gives for those it does not take.

import { addressKey, blockOf } from "../../base/ip-address.ts";

/** AWS's error distinguishes what cannot be an address from what is a wrong one. */
const LOOKS_LIKE_ADDRESS = /^(?:\d+\.\d+\.\d+\.\d+|[0-9a-f:]*:[0-9a-f:]*)$/i;

export type AddressRange = { ok: true; low: string; high: string } | { ok: false; message: string };

/** A CIDR block such as `10.0.0.0/8`; both ends belong to it. The texts are AWS's. */
export function parseCidr(text: string): AddressRange {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (!text.includes("/") || bits === "" || rest.length > 0) {
    return { ok: false, message: "Malformed CIDR, one '/' required" };
  }
  if (!/^[+-]?\d+$/.test(bits)) return { ok: false, message: "Malformed CIDR, mask bits must be an integer" };
  if (Number(bits) < 0) return { ok: false, message: "Malformed CIDR, mask bits must not be negative" };
  const key = addressKey(address);
  if (key === undefined) {
    const fault = LOOKS_LIKE_ADDRESS.test(address) ? "Invalid" : "Nonstandard";
    return { ok: false, message: `${fault} IP address: ${address}` };
  }
  const width = key[0] === "4" ? 32 : 128;
  if (Number(bits) >= width) return { ok: false, message: `IPv${key[0]} mask bits must be < ${width}` };
  return { ok: true, ...blockOf(key, Number(bits)) };
}
