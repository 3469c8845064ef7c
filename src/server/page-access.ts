// Web pages that may call from a browser: AWS answers every page, which here would let any page read the queues of
// whoever opened it, so only those of `cors-origins` are let in, by default the ones that come from this machine.
// They get what browsers ask for before they show an answer to a page (the CORS protocol of the Fetch standard).
// The admin API and everything about functions are never shared.

import { isLoopback } from "../config/index.ts";
import { isFunctionRequest } from "../wire/index.ts";
import { isAdminPath } from "./admin-path.ts";
import { isCrossOrigin } from "./browser-safety.ts";
import type { FrontRequest, FrontResponse } from "./http-front.ts";

/** What SDKs read besides the body; pages see no other header of ours. */
const EXPOSED_HEADERS = "x-amzn-requestid, x-amzn-query-error, x-amzn-errortype, date";
/** AWS's own; browsers keep an answer for less. */
const PREFLIGHT_MAX_AGE_SECONDS = 172_800;
/** What a list of header names may hold, since it is sent back. */
const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]*$/;

export class PageAccess {
  readonly #takesAll: boolean;
  readonly #takesLocal: boolean;
  readonly #origins: ReadonlySet<string>;

  /** `allowed` is the setting's text: `none`, `*`, or a list of origins in which `local` may stand. */
  constructor(allowed: string) {
    const listed = allowed.split(",").map((origin) => origin.trim().toLowerCase());
    this.#takesAll = listed.includes("*");
    this.#takesLocal = listed.includes("local");
    this.#origins = new Set(listed);
  }

  /** True for a request of a page from elsewhere whose origin is one of those let in. */
  mayCall(request: FrontRequest): boolean {
    const { origin } = request.headers;
    if (origin === undefined || !isCrossOrigin(request)) return false;
    if (isAdminPath(request.target) || isFunctionRequest(request)) return false;
    return this.#takesAll || this.#origins.has(origin.toLowerCase()) || (this.#takesLocal && isLocalOrigin(origin));
  }
}

/** What a browser asks before it lets a page send a request with headers of its own. */
export function isPreflight({ method, headers }: FrontRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Yes to whatever was asked: which page asks is all that counts. */
export function preflightAnswer({ headers }: FrontRequest): FrontResponse {
  const asked = headers["access-control-request-headers"] ?? "";
  return {
    status: 200,
    headers: {
      "access-control-allow-origin": headers.origin ?? "",
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": HEADER_NAMES.test(asked) ? asked : "",
      "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS),
      // Asked by browsers that keep pages of the internet from private addresses.
      ...(headers["access-control-request-private-network"] === "true"
        ? { "access-control-allow-private-network": "true" }
        : {}),
      vary: "origin, access-control-request-headers, access-control-request-private-network",
    },
    body: "",
  };
}

/** The same answer, for the page to read. */
export function shownToPage({ headers }: FrontRequest, response: FrontResponse): FrontResponse {
  return {
    ...response,
    headers: {
      ...response.headers,
      "access-control-allow-origin": headers.origin ?? "",
      "access-control-expose-headers": EXPOSED_HEADERS,
      vary: "origin",
    },
  };
}

function isLocalOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return false;
  return isLoopback(hostname.replace(/^\[|\]$/g, "")) || hostname.endsWith(".localhost");
}
