// Hands mails to the server that the settings name, a connection each. TLS is used whenever the server offers it, and
// the password is never sent without, except to this machine. An accepted mail is answered as 250; a mail that the
// server will never take fails for good.

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { connect } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { isMailAddress } from "../../../base/mail-address.ts";
import { isLoopback, type SmtpServer } from "../../../config/index.ts";
import type { OutboundMail, OutboundResult } from "../../../host/index.ts";
import { mailText } from "./mail-text.ts";
import { type Reply, SmtpConnection } from "./smtp-connection.ts";

/** Shorter than the time after which the mail counts as lost and is tried again. */
const MAIL_MS = 20_000;

export interface SmtpMailerOptions {
  server: SmtpServer;
  from: string;
  /** Certificates to trust, as PEM; absent: those that come with Node. */
  ca?: string[];
  /** For the whole mail. */
  timeoutMs?: number;
}

/** A command that the server did not carry out. */
class SmtpRefusal extends Error {
  readonly code: number;
  constructor({ code, lines }: Reply, command: string) {
    super(`The mail server answered ${code} to ${command}: ${lines.join(" ").slice(0, 200)}`);
    this.code = code;
  }
}

export class SmtpMailer {
  readonly #options: SmtpMailerOptions;

  constructor(options: SmtpMailerOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async send(mail: OutboundMail, signal: AbortSignal): Promise<OutboundResult> {
    if (!isMailAddress(mail.to)) return failed(`"${mail.to}" is not a mail address that can be written to.`, true);
    if (signal.aborted) return failed("The server is stopping.", false);
    const connection = new SmtpConnection(this.#connect());
    const { timeoutMs = MAIL_MS } = this.#options;
    const timer = setTimeout(
      () => connection.close(new Error(`The mail server took longer than ${timeoutMs / 1000} s.`)),
      timeoutMs,
    );
    const onAbort = () => connection.close(new Error("The server is stopping."));
    // One signal stops many mails at once; Node warns of more than ten as of a leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", onAbort);
    let isIntroduced = false;
    try {
      await this.#introduce(connection);
      isIntroduced = true;
      await this.#handOver(connection, mail);
      return { is: "answered", status: 250 };
    } catch (error) {
      // A refused login is the operator's to mend; a refused mail stays refused.
      const forGood = isIntroduced && error instanceof SmtpRefusal && error.code >= 500;
      return failed((error as Error).message, forGood);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      connection.close();
    }
  }

  #connect() {
    const { host, port, secure } = this.#options.server;
    return secure ? connectTls({ ...this.#tls, port }) : connect({ host, port });
  }

  get #tls(): ConnectionOptions {
    const { server, ca } = this.#options;
    const name = /^[\d.]+$|:/.test(server.host) ? {} : { servername: server.host };
    return { host: server.host, ...name, ...(ca === undefined ? {} : { ca }) };
  }

  async #introduce(connection: SmtpConnection): Promise<void> {
    const { host, secure, user, password } = this.#options.server;
    expect(await connection.ask(), 220, "the connection");
    let offers = await this.#greet(connection);
    let isSecret = secure;
    if (!secure && offers.some((line) => /^STARTTLS$/i.test(line))) {
      expect(await connection.ask("STARTTLS"), 220, "STARTTLS");
      await connection.startTls(this.#tls);
      isSecret = true;
      offers = await this.#greet(connection);
    }
    if (user === undefined) return;
    if (!isSecret && !isLoopback(host)) {
      throw new Error("The mail server offers no TLS, and the password of smtp-url is not sent without it.");
    }
    await logIn(connection, offers, user, password ?? "");
  }

  async #greet(connection: SmtpConnection): Promise<string[]> {
    return expect(await connection.ask(`EHLO ${domainOf(this.#options.from)}`), 250, "EHLO").lines;
  }

  async #handOver(connection: SmtpConnection, mail: OutboundMail): Promise<void> {
    const { from } = this.#options;
    expect(await connection.ask(`MAIL FROM:<${from}>`), 250, `MAIL FROM:<${from}>`);
    expect(await connection.ask(`RCPT TO:<${mail.to}>`), 250, `RCPT TO:<${mail.to}>`);
    expect(await connection.ask("DATA"), 354, "DATA");
    const messageId = `${randomUUID()}@${domainOf(from)}`;
    // Base64 and headers have no line that begins with a dot, so none has to be doubled.
    const text = mailText({ ...mail, from, messageId, sentAtMs: Date.now() });
    expect(await connection.ask(`${text}.`), 250, "the mail");
  }
}

async function logIn(connection: SmtpConnection, offers: string[], user: string, password: string): Promise<void> {
  const methods =
    offers
      .find((line) => /^AUTH[ =]/i.test(line))
      ?.toUpperCase()
      .split(/[ =]/) ?? [];
  if (methods.includes("LOGIN") && !methods.includes("PLAIN")) {
    expect(await connection.ask("AUTH LOGIN"), 334, "AUTH LOGIN");
    expect(await connection.ask(base64(user)), 334, "the user of smtp-url");
    expect(await connection.ask(base64(password)), 235, "the password of smtp-url");
    return;
  }
  expect(await connection.ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`), 235, "AUTH PLAIN");
}

function expect(reply: Reply, code: number, command: string): Reply {
  // 251: the mail goes to another server, which is as good.
  if (reply.code === code || (code === 250 && reply.code === 251)) return reply;
  throw new SmtpRefusal(reply, command);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function failed(reason: string, forGood: boolean): OutboundResult {
  return { is: "failed", reason, forGood };
}
