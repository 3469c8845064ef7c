// A server on loopback can be reached by every web page that its user opens. Pages may not read our answers, unless
// page-access.ts lets them in, but they can send simple requests blindly; those that would change something are refused
// here.

import { isFunctionRequest } from "../wire/index.ts";
import type { FrontRequest } from "./http-front.ts";

/** True for a request that a browser sends on behalf of a page from somewhere else. */
export function isCrossOrigin(request: FrontRequest): boolean {
  const { origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (origin === undefined) return site === "cross-site" || site === "same-site";
  const host = request.headers.host ?? request.localAuthority;
  return authorityOfOrigin(origin) !== host.toLowerCase();
}

/**
 * For writes of the admin API. A page whose own name was pointed at this machine (DNS rebinding) looks same-origin,
 * so a browser must also have used a name that others do not control.
 */
export function mayWriteAdmin(request: FrontRequest): boolean {
  if (isCrossOrigin(request)) return false;
  return request.headers.origin === undefined || isLocalName(request.headers.host ?? request.localAuthority);
}

/**
 * For AWS requests: real clients sign, and a page cannot set the Authorization header without a preflight that we
 * refuse. What remains is an unsigned request from a foreign page. The links that messages to subscribers carry
 * are followed from mail programs in browsers; what they hold, a page cannot guess.
 */
export function isForgedAwsRequest(request: FrontRequest): boolean {
  return request.headers.authorization === undefined && isCrossOrigin(request) && !isLinkOfMessage(request);
}

/**
 * Functions are code that runs on this machine, so a browser's request about them must also have come by a local name:
 * a page whose name was pointed here could send any header, a signature that nobody verifies among them.
 */
export function isForgedFunctionRequest(request: FrontRequest): boolean {
  return isFunctionRequest(request) && !mayWriteAdmin(request);
}

function isLinkOfMessage({ method, target }: FrontRequest): boolean {
  return method === "GET" && /^\/\?(?:.*&)?Action=(?:ConfirmSubscription|Unsubscribe)(?:&|$)/.test(target);
}

function authorityOfOrigin(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host.toLowerCase() : undefined;
}

function isLocalName(authority: string): boolean {
  const name = authority.toLowerCase().replace(/:\d+$/, "");
  return (
    name === "localhost" || name.endsWith(".localhost") || /^\[.*\]$/.test(name) || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)
  );
}
