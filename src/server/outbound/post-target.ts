// What an endpoint's URL says: where to connect, and who to say that we are.

export interface PostTarget {
  secure: boolean;
  /** A name or an address, without the brackets of IPv6. */
  host: string;
  port: number;
  /** With the query. */
  path: string;
  /** For the Host header: the port only when it is not the usual one. */
  authority: string;
  authorization?: string;
}

/** Undefined: not an http or https URL. */
export function readPostTarget(text: string): PostTarget | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = url.protocol === "https:";
  if ((!secure && url.protocol !== "http:") || url.hostname === "") return undefined;
  const target: PostTarget = {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    authority: url.host,
  };
  if (url.username !== "" || url.password !== "") {
    const credentials = `${decode(url.username)}:${decode(url.password)}`;
    target.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  }
  return target;
}

/** A lone % is taken as it is: somebody forgot to escape it. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
