// Names to addresses, for connections that the network rules allow. The check is made on the very addresses that the
// socket is given, so a name that answers differently the next time does not get around it. The system's resolver
// keeps a thread busy per question; asking once for everybody who wants to know, and remembering for a moment, leaves
// threads for other names while one of them does not resolve.

import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { NetworkRules } from "./network-rules.ts";

/** Shorter than what changes an address on purpose takes; longer than a burst of messages to one endpoint. */
const REMEMBERED_MS = 5_000;
const REMEMBERED_NAMES_MAX = 1_000;

/** Trying again is no use until somebody changes the settings or the name. */
export class AddressDenied extends Error {}

/** All addresses of a name; rejects with what `dns.lookup` gives. */
export type Resolve = (name: string) => Promise<LookupAddress[]>;

export class GuardedLookup {
  readonly #rules: NetworkRules;
  readonly #resolve: Resolve;
  readonly #known = new Map<string, { addresses: Promise<LookupAddress[]>; untilMs: number }>();

  constructor(rules: NetworkRules, resolve: Resolve = resolveBySystem) {
    this.#rules = rules;
    this.#resolve = resolve;
  }

  /** For sockets. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    this.#allowed(name, options.family).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };

  async #allowed(name: string, family: unknown): Promise<LookupAddress[]> {
    const found = (await this.#addressesOf(name)).filter(
      (each) => (family !== 4 && family !== 6) || each.family === family,
    );
    const allowed = found.filter(({ address }) => this.#rules.refuse(address) === undefined);
    if (allowed.length > 0) return allowed;
    const [denied] = found;
    if (denied === undefined) throw Object.assign(new Error(`${name} has no address`), { code: "ENOTFOUND" });
    throw new AddressDenied(`${name} is ${denied.address}. ${this.#rules.refuse(denied.address)}`);
  }

  #addressesOf(name: string): Promise<LookupAddress[]> {
    const nowMs = performance.now();
    const known = this.#known.get(name);
    if (known !== undefined && nowMs < known.untilMs) return known.addresses;
    if (this.#known.size >= REMEMBERED_NAMES_MAX) this.#known.clear();
    // Until it is answered it is not asked again, however long that takes.
    const entry = { addresses: this.#resolve(name), untilMs: Number.POSITIVE_INFINITY };
    const remember = () => {
      entry.untilMs = performance.now() + REMEMBERED_MS;
    };
    entry.addresses.then(remember, remember);
    this.#known.set(name, entry);
    return entry.addresses;
  }
}

function resolveBySystem(name: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
}
