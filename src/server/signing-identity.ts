// The key that notifications are signed with, and its certificate: made when first needed, and kept from then on, so
// that subscribers can go on checking what was signed before a restart. Both are in one file of the data folder, which
// is safe on disk before anything is signed with it and which only its owner may read.

import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Fault } from "../base/fault.ts";
import { SIGNING_FILE } from "../log/index.ts";
import { selfSignedCertificate } from "./notification-certificate.ts";

const makeKeyPair = promisify(generateKeyPair);
const KEY_BITS = 2048;
/** Clocks differ: a certificate is valid from a day before it is made. */
const BACKDATED_MS = 24 * 60 * 60 * 1000;
/** As many digits as AWS's names of certificates have. */
const FINGERPRINT_DIGITS = 32;

export interface SigningIdentity {
  key: KeyObject;
  /** PEM. */
  certificate: string;
  /** Beginning of the SHA-256 of the certificate, in hexadecimal: names it in URLs. */
  fingerprint: string;
}

/** The one in the folder; undefined: there is none yet. Throws a Fault (`DiskFailed`) when it cannot be used. */
export async function readSigningIdentity(folder: string): Promise<SigningIdentity | undefined> {
  const path = join(folder, SIGNING_FILE);
  try {
    return parse(await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const advice = "Restore it from a backup, or remove it to have another key made";
    throw new Fault("DiskFailed", `${path} has no usable key: ${(error as Error).message}. ${advice}.`, error);
  }
}

/** Resolves when the new one is safe in the folder. */
export async function makeSigningIdentity(folder: string): Promise<SigningIdentity> {
  const pem = await makePem();
  await keep(folder, pem);
  return parse(pem);
}

let inMemory: Promise<SigningIdentity> | undefined;

/**
 * One for all servers of this process that keep nothing: making a key takes about a second, and a program that starts
 * a server for each of its tests should not wait for it every time.
 */
export function memorySigningIdentity(): Promise<SigningIdentity> {
  inMemory ??= makePem().then(parse);
  return inMemory;
}

/** On another thread. */
export function signBytes(algorithm: string, bytes: Uint8Array, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(algorithm, bytes, key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

async function makePem(): Promise<string> {
  const { publicKey, privateKey } = await makeKeyPair("rsa", { modulusLength: KEY_BITS });
  const content = {
    publicKey,
    commonName: "Millpond notifications",
    serial: randomBytes(16),
    notBeforeMs: Date.now() - BACKDATED_MS,
  };
  const certificate = await selfSignedCertificate(content, (bytes) => signBytes("RSA-SHA256", bytes, privateKey));
  return `${privateKey.export({ type: "pkcs8", format: "pem" })}${certificate}`;
}

function parse(pem: string): SigningIdentity {
  const key = createPrivateKey(pem);
  const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/.exec(pem)?.[0];
  if (certificate === undefined) throw new Error("there is no certificate in it");
  const read = new X509Certificate(certificate);
  if (key.asymmetricKeyType !== "rsa" || !read.checkPrivateKey(key)) {
    throw new Error("the certificate is not that of the RSA key");
  }
  const fingerprint = createHash("sha256").update(read.raw).digest("hex").slice(0, FINGERPRINT_DIGITS);
  return { key, certificate, fingerprint };
}

async function keep(folder: string, pem: string): Promise<void> {
  const path = join(folder, SIGNING_FILE);
  try {
    await rm(`${path}.new`, { force: true });
    await withFile(await open(`${path}.new`, "wx", 0o600), async (file) => {
      await file.writeFile(pem);
      await file.sync();
    });
    await rename(`${path}.new`, path);
    // Windows cannot sync a folder, and does not need to.
    if (process.platform !== "win32") await withFile(await open(folder, "r"), (file) => file.sync());
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === "ENOSPC" ? "DiskFull" : "DiskFailed";
    throw new Fault(
      code,
      `The key to sign notifications with cannot be kept as ${path}: ${(error as Error).message}.`,
      error,
    );
  }
}

async function withFile(file: FileHandle, use: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await use(file);
  } finally {
    await file.close();
  }
}
