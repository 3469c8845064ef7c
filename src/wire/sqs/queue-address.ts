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

/** The queue that a request is about: by its QueueUrl, else by the path it was sent to. */
export function queueOf(queueUrl: string | undefined, call: Call): Result<QueueKey, Refusal> {
  if (queueUrl === undefined || queueUrl === "") {
    if (call.pathParts.length === 0) return refuse(missingParameter("QueueUrl"));
    return accept(keyOf(call.pathParts, undefined, call));
  }
  const scheme = queueUrl.indexOf("://");
  if (scheme === -1) return accept(keyOf(partsOf(queueUrl), undefined, call));
  const hostStart = scheme + 3;
  const slash = queueUrl.indexOf("/", hostStart);
  const parts = slash === -1 ? [] : partsOf(queueUrl.slice(slash));
  if (parts.length === 0) {
    return refuse(refusal("InvalidAddress", `The address ${queueUrl} is not valid for this endpoint.`));
  }
  return accept(keyOf(parts, queueUrl.slice(hostStart, slash), call));
}

export function queueUrlOf(queue: QueueKey, call: Call): string {
  return `${call.urlBase()}/${queue.account}/${queue.name}`;
}

/** A URL of nonsense becomes a key that no queue has, which is what AWS makes of it: QueueDoesNotExist. */
function keyOf(parts: readonly string[], host: string | undefined, call: Call): QueueKey {
  const [account = "", name = ""] = parts.length > 1 ? parts.slice(-2) : ["", ...parts];
  return {
    account: isAccountId(account) ? account : call.scope.account,
    region: call.regionIsSigned ? call.scope.region : (regionIn(parts, host) ?? call.scope.region),
    name,
  };
}

function regionIn(parts: readonly string[], host: string | undefined): string | undefined {
  const inHost = host === undefined ? undefined : regionOfHost(host);
  const inPath = parts.at(-3);
  return inHost ?? (inPath !== undefined && isRegion(inPath) ? inPath : undefined);
}
