// Tells the calls of AWS clients from everything else that one port serves (console, admin API, health checks). Errs
// on the AWS side for anything that is signed, named or addressed like a queue.

import type { WireRequest } from "./exchange.ts";
import { readTarget } from "./protocol/request-target.ts";
import { isAccountId } from "./protocol/sigv4.ts";
import { restServices } from "./services.ts";

const AWS_BODY = /^application\/(?:x-www-form-urlencoded|x-amz-json)/;
const AWS_QUERY = /(?:^|&)(?:Action|X-Amz-Credential|AWSAccessKeyId)=/;
/** Nothing of ours lives under these, and emulators' clients use them. */
const OLDER_FIRST_PARTS = new Set(["queue", "_aws"]);

export function isAwsRequest({ method, target, headers }: WireRequest): boolean {
  if (headers["x-amz-target"] !== undefined) return true;
  if (headers["authorization"]?.startsWith("AWS4-") === true) return true;
  const { pathParts, query } = readTarget(target);
  if (AWS_QUERY.test(query)) return true;
  const [first = ""] = pathParts;
  if (pathParts.length > 1 && (isAccountId(first) || OLDER_FIRST_PARTS.has(first))) return true;
  if (isRestPath(pathParts)) return true;
  return method === "POST" && (pathParts.length === 0 || AWS_BODY.test(headers["content-type"] ?? ""));
}

/** Whether a request is for a service that is told by its path, however that is written: all of them are about functions. */
export function isFunctionRequest({ target }: { target: string }): boolean {
  return isRestPath(readTarget(target).pathParts);
}

function isRestPath(pathParts: readonly string[]): boolean {
  return restServices.some(({ rest }) => rest.isPath(pathParts));
}
