// Which of the services on this port a request is for. JSON requests say it in X-Amz-Target. Query requests say it in
// several places of which any may be missing; they are looked at from the most to the least telling:
//
//   the signature's scope > Version > an action that only one of them has > the host name > the first in the list
//
// Links in messages (`GET /?Action=ConfirmSubscription&...`) have nothing but the action.

import { serviceOfHost } from "./host-name.ts";
import type { JsonDialect, QueryDialect, Service } from "./service.ts";

type Speaks<Dialect extends object> = Service & Dialect;

export function serviceOfTarget<Known extends Speaks<{ json: JsonDialect }>>(
  services: readonly Known[],
  prefix: string,
): Known | undefined {
  // A handful: looking through them costs less than a table.
  return services.find(({ json }) => json.targetPrefix === prefix);
}

export interface QuerySigns {
  /** Of the signature. */
  signedFor: string | undefined;
  version: string | undefined;
  action: string | undefined;
  host: string;
}

export function serviceOfQuery<Known extends Speaks<{ query: QueryDialect }>>(
  services: readonly [Known, ...Known[]],
  { signedFor, version, action = "", host }: QuerySigns,
): Known {
  const signed = services.find(({ name }) => name === signedFor);
  const versioned = signed ?? services.find(({ query }) => query.version === version);
  if (versioned !== undefined) return versioned;
  const having = services.filter(({ operations }) => operations.has(action));
  if (having.length === 1) return having[0] as Known;
  const hosted = serviceOfHost(host);
  return services.find(({ name }) => name === hosted) ?? services[0];
}
