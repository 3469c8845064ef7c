// From the many spellings of a queue's address to its key, and back to a URL. A queue is found by the last two parts
// of the path, account and name; the host never matters, since callers keep URLs that other names of this server
// gave them. Known spellings:
//
//   https://sqs.{region}.amazonaws.com/{account}/{name}      and its older hosts {region}.queue., queue.
//   http://{host}/queue/{name}    http://{host}/queue/{region}/{account}/{name}
//   /{account}/{name}             {name}

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { QueueKey } from "../../engine/command.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { missingParameter, refusal } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import { isRegion, regionOfHost } from "../protocol/host-name.ts";
import { partsOf } from "../protocol/request-target.ts";
import { isAccountId } from "../protocol/sigv4.ts";

/** What an address says, whoever uses it. */
interface Address {
  /** Absent when it names none that could be one: it is the caller's then. */
  account: string | undefined;
  /** Counts for callers whose signature names none. */
  region: string | undefined;
  name: string;
  /** The key that its last caller got; nearly always the next one's, too. */
  lastKey: QueueKey | undefined;
}

/** Addresses that were read lately: a client uses the same few all day, and a key of theirs is one object then. */
const knownAddresses = new Map<string, Address>();
const ADDRESSES_KEPT_MAX = 1000;
const ADDRESS_CHARACTERS_MAX = 256;

/** The queue that a request is about: by its QueueUrl, else by the path it was sent to. */
export function queueOf(queueUrl: string | undefined, call: Call): Result<QueueKey, Refusal> {
  if (queueUrl === undefined || queueUrl === "") {
    if (call.pathParts.length === 0) return refuse(missingParameter("QueueUrl"));
    return accept(keyFor(addressOf(call.pathParts, undefined), call));
  }
  const address = knownAddresses.get(queueUrl) ?? readAddress(queueUrl);
  if (address === undefined) {
    return refuse(refusal("InvalidAddress", `The address ${queueUrl} is not valid for this endpoint.`));
  }
  return accept(keyFor(address, call));
}

export function queueUrlOf(queue: QueueKey, call: Call): string {
  return `${call.urlBase()}/${queue.account}/${queue.name}`;
}

function readAddress(queueUrl: string): Address | undefined {
  const address = parseAddress(queueUrl);
  if (address !== undefined && queueUrl.length <= ADDRESS_CHARACTERS_MAX) {
    if (knownAddresses.size >= ADDRESSES_KEPT_MAX) knownAddresses.clear();
    knownAddresses.set(queueUrl, address);
  }
  return address;
}

function parseAddress(queueUrl: string): Address | undefined {
  const scheme = queueUrl.indexOf("://");
  if (scheme === -1) return addressOf(partsOf(queueUrl), undefined);
  const hostStart = scheme + 3;
  const slash = queueUrl.indexOf("/", hostStart);
  // Without a path AWS looks for a queue and finds none; with an empty one it has no address to look at.
  if (slash === -1) return addressOf([], undefined);
  const parts = partsOf(queueUrl.slice(slash));
  return parts.length === 0 ? undefined : addressOf(parts, queueUrl.slice(hostStart, slash));
}

function addressOf(parts: readonly string[], host: string | undefined): Address {
  const [account = "", name = ""] = parts.length > 1 ? parts.slice(-2) : ["", ...parts];
  return {
    account: isAccountId(account) ? account : undefined,
    region: regionIn(parts, host),
    name,
    lastKey: undefined,
  };
}

/** A URL of nonsense becomes a key that no queue has, which is what AWS makes of it: QueueDoesNotExist. */
function keyFor(address: Address, call: Call): QueueKey {
  const account = address.account ?? call.account;
  const region = (call.regionIsSigned ? undefined : address.region) ?? call.region;
  const { lastKey } = address;
  if (lastKey !== undefined && lastKey.account === account && lastKey.region === region) return lastKey;
  // Shared by all who use the address from now on.
  address.lastKey = Object.freeze({ account, region, name: address.name });
  return address.lastKey;
}

function regionIn(parts: readonly string[], host: string | undefined): string | undefined {
  const inHost = host === undefined ? undefined : regionOfHost(host);
  const inPath = parts.at(-3);
  return inHost ?? (inPath !== undefined && isRegion(inPath) ? inPath : undefined);
}
