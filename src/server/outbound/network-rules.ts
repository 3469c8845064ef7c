// Where requests of this server may go. The narrowest network that holds an address decides. Metadata services of
// clouds hand credentials to whoever asks from the machine, so their addresses are denied unless the allow list names
// them as narrowly; everything else, loopback and private networks included, is allowed while the allow list is empty.

import { assert } from "../../base/assert.ts";
import { holdsAddress, type Network, parseNetworks, reachedAddresses } from "../../base/network.ts";

const METADATA = [
  // Link-local: AWS, GCP, Azure, Oracle and most others; 169.254.170.2 is the one of AWS's containers.
  "169.254.0.0/16",
  "fe80::/10",
  // AWS by IPv6: instance metadata, time, container credentials.
  "fd00:ec2::/32",
  // GCP by IPv6.
  "fd20:ce::254",
  // Alibaba, Oracle's older, Azure's host agent.
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
];

type Verdict = "deny" | "allow" | "metadata";

export class NetworkRules {
  /** Of networks that are equally narrow the earlier one decides. */
  readonly #rules: { network: Network; verdict: Verdict }[];
  readonly #allowsOthers: boolean;

  /** Lists of networks, as in the settings. */
  constructor(allow = "", deny = "") {
    const allowed = read(allow);
    const order: [Network[], Verdict][] = [
      [read(deny), "deny"],
      [allowed, "allow"],
      [read(METADATA.join()), "metadata"],
    ];
    this.#rules = order.flatMap(([networks, verdict]) => networks.map((network) => ({ network, verdict })));
    this.#allowsOthers = allowed.length === 0;
  }

  /** Why there is no connection to the address; undefined: there may be. */
  refuse(address: string): string | undefined {
    const reached = reachedAddresses(address);
    if (reached.length === 0) return `"${address}" is not an address.`;
    for (const key of reached) {
      const reason = this.#refuseKey(address, key);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #refuseKey(address: string, key: string): string | undefined {
    let narrowest: { network: Network; verdict: Verdict } | undefined;
    for (const rule of this.#rules) {
      if (!holdsAddress(rule.network, key)) continue;
      if (narrowest === undefined || rule.network.bits > narrowest.network.bits) narrowest = rule;
    }
    switch (narrowest?.verdict) {
      case "allow":
        return undefined;
      case "deny":
        return `The setting outbound-deny does not allow connections to ${address} (${narrowest.network.text}).`;
      case "metadata":
        return `${address} may be a cloud's metadata service (${narrowest.network.text}); only the setting outbound-allow can permit it.`;
      case undefined:
        return this.#allowsOthers ? undefined : `The setting outbound-allow does not include ${address}.`;
    }
  }
}

function read(list: string): Network[] {
  const networks = parseNetworks(list);
  assert(networks !== undefined, "settings accept only lists of networks");
  return networks;
}
