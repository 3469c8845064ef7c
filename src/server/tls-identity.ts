// The certificate and key that the settings name, read and checked before anything listens.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { Fault } from "../base/fault.ts";
import type { Settings } from "../config/index.ts";
import type { TlsIdentity } from "./http-front.ts";
import { contextOptions } from "./listening.ts";

/** Undefined without TLS. Throws a Fault (`SettingInvalid`) when the files cannot be read or are no pair. */
export function readTlsIdentity({ tlsCert, tlsKey }: Settings): TlsIdentity | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const identity = { certificate: readPem("tls-cert", tlsCert), key: readPem("tls-key", tlsKey) };
  try {
    createSecureContext(contextOptions(identity));
  } catch (error) {
    throw new Fault(
      "SettingInvalid",
      `The certificate in ${tlsCert} and the key in ${tlsKey} cannot be used together: ${(error as Error).message}. ` +
        "tls-cert takes a PEM file with the certificate, tls-key one with its private key, without a passphrase.",
      error,
    );
  }
  return identity;
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Fault("SettingInvalid", `The file of ${name} cannot be read: ${(error as Error).message}.`, error);
  }
}
