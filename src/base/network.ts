// Networks as people write them: `10.0.0.0/8`, `fd00::/8`, or one address. A list separates them with commas.

import { addressKey, blockOf } from "./ip-address.ts";

export interface Network {
  /** As it was written. */
  text: string;
  /** How many leading bits are fixed: of two networks that hold an address, the one with more is the narrower. */
  bits: number;
  /** Keys of its first and last address (ip-address.ts). */
  low: string;
  high: string;
}

/** Undefined: the text is no network. */
export function parseNetwork(text: string): Network | undefined {
  const [address = "", bitsText, ...rest] = text.split("/");
  const key = addressKey(address);
  if (key === undefined || rest.length > 0) return undefined;
  const width = key[0] === "4" ? 32 : 128;
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  const bits = bitsText === undefined ? width : Number(bitsText);
  if (bits > width) return undefined;
  return { text, bits, ...blockOf(key, bits) };
}

/** Blank text is no network at all; undefined: something in the list is none. */
export function parseNetworks(text: string): Network[] | undefined {
  if (text.trim() === "") return [];
  const networks = text.split(",").map((each) => parseNetwork(each.trim()));
  return networks.every((network) => network !== undefined) ? networks : undefined;
}

export function holdsAddress(network: Network, key: string): boolean {
  return network.low <= key && key <= network.high;
}

const MAPPED = `6${"0".repeat(20)}ffff`;
const NAT64 = `60064ff9b${"0".repeat(16)}`;
const SIX_TO_FOUR = "62002";
const LOOPBACK_4 = "47f000001";
const LOOPBACK_6 = `6${"0".repeat(31)}1`;

/**
 * Keys of every address that a connection to this one may end at: IPv6 can carry an IPv4 address inside, and
 * "unspecified" reaches this machine. Empty: not an address.
 */
export function reachedAddresses(address: string): string[] {
  const key = addressKey(address.replace(/%.*$/, ""));
  if (key === undefined) return [];
  if (key.startsWith(MAPPED)) return reachedFromV4(`4${key.slice(MAPPED.length)}`);
  if (key.startsWith(NAT64)) return [key, `4${key.slice(NAT64.length)}`];
  if (key.startsWith(SIX_TO_FOUR)) return [key, `4${key.slice(SIX_TO_FOUR.length, SIX_TO_FOUR.length + 8)}`];
  if (/^60+$/.test(key)) return [key, LOOPBACK_6];
  return reachedFromV4(key);
}

function reachedFromV4(key: string): string[] {
  return key === "400000000" ? [key, LOOPBACK_4] : [key];
}
