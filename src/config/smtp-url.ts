// The mail server as the setting smtp-url gives it.

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise it begins when the server offers it. */
  secure: boolean;
  user?: string;
  password?: string;
}

/** `smtp://user:password@host:587` or `smtps://…`; undefined when it is neither. */
export function readSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  if ((!secure && url.protocol !== "smtp:") || url.hostname === "") return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") return undefined;
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  const server: SmtpServer = { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port, secure };
  if (url.username === "") return url.password === "" ? server : undefined;
  try {
    server.user = decodeURIComponent(url.username);
    server.password = decodeURIComponent(url.password);
    return server;
  } catch {
    return undefined;
  }
}
