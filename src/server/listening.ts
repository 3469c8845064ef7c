// What fronts have in common about the port they listen on: its name, what can be wrong with it, and TLS.

import type { SecureContextOptions } from "node:tls";
import { Fault } from "../base/fault.ts";
import type { TlsIdentity } from "./http-front.ts";

export function authorityOf(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export function contextOptions({ certificate, key }: TlsIdentity): SecureContextOptions {
  return { cert: certificate, key, minVersion: "TLSv1.2" };
}

export function listenFault(error: NodeJS.ErrnoException, host: string, port: number): Fault {
  const where = authorityOf(host, port);
  switch (error.code) {
    case "EADDRINUSE":
      return new Fault(
        "PortTaken",
        `Cannot listen on ${where}: the port is taken by another program. Stop that one, or choose another port with ` +
          `--port N (--port 0 takes a free one).`,
        error,
      );
    case "EACCES":
      return new Fault(
        "SettingInvalid",
        `Cannot listen on ${where}: this user may not use the port. Choose one above 1023 with --port.`,
        error,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Fault(
        "SettingInvalid",
        `Cannot listen on ${where}: "${host}" is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.`,
        error,
      );
    default:
      return new Fault("SettingInvalid", `Cannot listen on ${where}: ${error.message}.`, error);
  }
}
