// Signs what SNS delivers, and serves the certificate to check it with. Signing is off the event loop, and what was
// signed is remembered for a while: the second subscriber of a message, and a retry, get the signature of the first.

import { createHash } from "node:crypto";
import { assert } from "../base/assert.ts";
import { Lanes } from "../base/lanes.ts";
import type { NotificationSigner } from "../host/index.ts";
import type { FrontResponse } from "./http-front.ts";
import {
  makeSigningIdentity,
  memorySigningIdentity,
  readSigningIdentity,
  type SigningIdentity,
  signBytes,
} from "./signing-identity.ts";

type SignatureVersion = Parameters<NotificationSigner["sign"]>[1];

const ALGORITHM: Record<SignatureVersion, string> = { "1": "RSA-SHA1", "2": "RSA-SHA256" };
const PATH = /^\/SimpleNotificationService-([0-9a-f]+)\.pem(?:\?|$)/;
const REMEMBERED_MAX = 1_000;
/**
 * A signature keeps a thread busy for most of a millisecond, and Node has four for this and for all files: more than so
 * many at once, and the log's syncs, for which every answer waits, would queue behind signatures.
 */
const SIGNINGS_MAX = 2;

export interface NotificationSignerOptions {
  /** Where the key is kept; undefined: in memory. */
  folder: string | undefined;
  /** Where clients reach the server, without a slash at the end. */
  baseUrl: () => string;
  /** How bytes are signed, so that a test can count. */
  sign?: typeof signBytes;
}

export class ServerNotificationSigner implements NotificationSigner {
  readonly #options: NotificationSignerOptions;
  /** By version and digest of the text, the oldest first. */
  readonly #remembered = new Map<string, Promise<string>>();
  readonly #lanes = new Lanes(SIGNINGS_MAX);
  #identity: SigningIdentity | undefined;
  #making: Promise<SigningIdentity> | undefined;

  private constructor(options: NotificationSignerOptions, identity: SigningIdentity | undefined) {
    this.#options = options;
    this.#identity = identity;
  }

  /** With the key that there is; else one is made when it is needed. Rejects with a Fault (`DiskFailed`) when it is of no use. */
  static async open(options: NotificationSignerOptions): Promise<ServerNotificationSigner> {
    const { folder } = options;
    return new ServerNotificationSigner(options, folder === undefined ? undefined : await readSigningIdentity(folder));
  }

  async sign(text: string, version: SignatureVersion): Promise<string> {
    const id = `${version}${createHash("sha256").update(text).digest("base64")}`;
    const known = this.#remembered.get(id);
    if (known !== undefined) return known;
    const signature = this.#sign(text, version);
    this.#remembered.set(id, signature);
    signature.catch(() => this.#remembered.delete(id));
    if (this.#remembered.size > REMEMBERED_MAX) this.#remembered.delete(this.#remembered.keys().next().value as string);
    return signature;
  }

  /** Only once something was signed. */
  certUrl(): string {
    assert(this.#identity !== undefined, "the certificate is asked for after the signature");
    return `${this.#options.baseUrl()}/SimpleNotificationService-${this.#identity.fingerprint}.pem`;
  }

  /** The answer to a request for a certificate; undefined when it is for something else. */
  serve({ method, target }: { method: string; target: string }): FrontResponse | undefined {
    const asked = PATH.exec(target)?.[1];
    if (asked === undefined || (method !== "GET" && method !== "HEAD")) return undefined;
    // A request makes no key: nobody can know the name of one that does not exist.
    if (this.#identity?.fingerprint !== asked) return undefined;
    return {
      status: 200,
      headers: { "content-type": "application/x-pem-file", "cache-control": "public, max-age=86400" },
      body: this.#identity.certificate,
    };
  }

  async #sign(text: string, version: SignatureVersion): Promise<string> {
    const { key } = this.#identity ?? (await this.#make());
    const { sign = signBytes } = this.#options;
    const signature = await this.#lanes.run(() => sign(ALGORITHM[version], Buffer.from(text), key));
    return signature.toString("base64");
  }

  /** Once for all who ask meanwhile; again after a failure. */
  #make(): Promise<SigningIdentity> {
    this.#making ??= this.#makeIdentity().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makeIdentity(): Promise<SigningIdentity> {
    const { folder } = this.#options;
    this.#identity = folder === undefined ? await memorySigningIdentity() : await makeSigningIdentity(folder);
    return this.#identity;
  }
}

export function isCertificatePath(target: string): boolean {
  return PATH.test(target);
}
