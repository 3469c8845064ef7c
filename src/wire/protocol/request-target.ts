// Where a request was sent: the path's parts and the query string, and which public address the caller used. Every
// queue URL in an answer is built from that address, because it is the one that the caller can reach (case C027).

import type { WireRequest, WireSettings } from "../exchange.ts";

export interface RequestTarget {
  /** Decoded, empty ones left out. */
  pathParts: readonly string[];
  /** As received, without the question mark. */
  query: string;
}

/** What a Host header may hold: names, IPv4, IPv6 in brackets, a port. Anything else is not echoed into URLs. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/;
const HAS_PORT = /:\d+$/;
const DEFAULT_PORTS: Record<string, string> = { http: "80", https: "443" };

/** Where SDKs send nearly everything. */
const ROOT: RequestTarget = { pathParts: [], query: "" };

export function readTarget(target: string): RequestTarget {
  if (target === "/") return ROOT;
  const mark = target.indexOf("?");
  const path = withoutOrigin(mark === -1 ? target : target.slice(0, mark));
  const query = mark === -1 ? "" : target.slice(mark + 1);
  return { pathParts: path === "/" ? [] : partsOf(path), query };
}

/** `https://host:port`, without a slash at the end. */
export function publicBase(request: WireRequest, settings: WireSettings): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl.replace(/\/+$/, "");
  const { headers } = request;
  const trusted = settings.trustForwarded ? headers : {};
  const forwardedScheme = firstOf(trusted["x-forwarded-proto"])?.toLowerCase();
  const own = request.secure ? "https" : "http";
  const scheme = forwardedScheme === "http" || forwardedScheme === "https" ? forwardedScheme : own;
  const authority = [firstOf(trusted["x-forwarded-host"]), headers["host"]].find(isAuthority) ?? request.localAuthority;
  return `${scheme}://${withForwardedPort(authority, scheme, firstOf(trusted["x-forwarded-port"]))}`;
}

/** The path's parts, without those that say nothing; broken percent-encoding stays as it is. */
export function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split("/", 16)) {
    if (part !== "") parts.push(part.includes("%") ? decodePart(part) : part);
  }
  return parts;
}

/** Proxies and some clients send the whole URL where the path belongs (RFC 9112, "absolute-form"). */
function withoutOrigin(path: string): string {
  if (path.startsWith("/")) return path;
  const scheme = path.indexOf("://");
  if (scheme === -1) return path;
  const slash = path.indexOf("/", scheme + 3);
  return slash === -1 ? "/" : path.slice(slash);
}

function withForwardedPort(authority: string, scheme: string, port: string | undefined): string {
  if (port === undefined || !/^\d{1,5}$/.test(port) || HAS_PORT.test(authority)) return authority;
  return port === DEFAULT_PORTS[scheme] ? authority : `${authority}:${port}`;
}

function isAuthority(text: string | undefined): text is string {
  return text !== undefined && AUTHORITY.test(text);
}

/** A chain of proxies makes a list; its first value is the outermost one's. */
function firstOf(header: string | undefined): string | undefined {
  return header?.split(",", 1)[0]?.trim();
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
