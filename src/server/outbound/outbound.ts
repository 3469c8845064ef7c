// What leaves this server for the world, in one place: requests to endpoints, mails, and the rules for both.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import type { Settings } from "../../config/index.ts";
import { readSmtpUrl } from "../../config/index.ts";
import type { Outbound } from "../../host/index.ts";
import { HttpPoster } from "./http-poster.ts";
import { SmtpMailer } from "./mail/smtp-mailer.ts";
import { NetworkRules } from "./network-rules.ts";

export interface ServerOutbound extends Outbound {
  /** Cuts what is under way. */
  close(): void;
}

export type OutboundSettings = Pick<Settings, "outboundAllow" | "outboundDeny" | "outboundCa" | "smtpUrl" | "mailFrom">;

/** Throws a Fault (`SettingInvalid`) when the file of outbound-ca is of no use. */
export function openOutbound(settings: OutboundSettings): ServerOutbound {
  const trusted = settings.outboundCa === undefined ? {} : { ca: [...rootCertificates, readCa(settings.outboundCa)] };
  const rules = new NetworkRules(settings.outboundAllow, settings.outboundDeny);
  const poster = new HttpPoster({ rules, ...trusted });
  const mailer = openMailer(settings, trusted);
  return {
    post: (post, signal) => poster.post(post, signal),
    ...(mailer === undefined ? {} : { mail: (mail, signal) => mailer.send(mail, signal) }),
    close: () => poster.close(),
  };
}

/** The operator named the mail server, so the network rules are not asked about it. */
function openMailer({ smtpUrl, mailFrom }: OutboundSettings, trusted: { ca?: string[] }): SmtpMailer | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  const server = readSmtpUrl(smtpUrl);
  assert(server !== undefined, "settings accept only URLs of mail servers");
  return new SmtpMailer({ server, from: mailFrom, ...trusted });
}

function readCa(path: string): string {
  try {
    const pem = readFileSync(path, "utf8");
    const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
    if (certificates === null) throw new Error("there is no certificate in it");
    for (const certificate of certificates) new X509Certificate(certificate);
    return pem;
  } catch (error) {
    const reason = (error as Error).message;
    throw new Fault("SettingInvalid", `The file of outbound-ca, ${path}, cannot be used: ${reason}.`, error);
  }
}
