// Signs what SNS delivers, and serves the certificate to check it with. Signing is off the event loop, and what was
// signed is remembered for a while: the second subscriber of a message, and a retry, get the signature of the first.

import { createHash } from "node:crypto";
import { assert } from "../base/assert.ts";
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
  #identity: SigningIdentity | undefined;
  #opening: Promise<SigningIdentity> | undefined;

  constructor(options: NotificationSignerOptions) {
    this.#options = options;
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
  async serve({ method, target }: { method: string; target: string }): Promise<FrontResponse | undefined> {
    const asked = PATH.exec(target)?.[1];
    if (asked === undefined || (method !== "GET" && method !== "HEAD")) return undefined;
    const { folder } = this.#options;
    // A request makes no key: nobody can know the name of one that does not exist.
    const found = this.#identity === undefined && folder !== undefined ? await readSigningIdentity(folder) : undefined;
    this.#identity ??= found;
    if (this.#identity?.fingerprint !== asked) return undefined;
    return {
      status: 200,
      headers: { "content-type": "application/x-pem-file", "cache-control": "public, max-age=86400" },
      body: this.#identity.certificate,
    };
  }

  async #sign(text: string, version: SignatureVersion): Promise<string> {
    const { key } = this.#identity ?? (await this.#open());
    const { sign = signBytes } = this.#options;
    return (await sign(ALGORITHM[version], Buffer.from(text), key)).toString("base64");
  }

  /** Once for all who ask meanwhile; again after a failure. */
  #open(): Promise<SigningIdentity> {
    this.#opening ??= this.#readOrMake().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #readOrMake(): Promise<SigningIdentity> {
    const { folder } = this.#options;
    const identity =
      folder === undefined
        ? await memorySigningIdentity()
        : ((await readSigningIdentity(folder)) ?? (await makeSigningIdentity(folder)));
    this.#identity ??= identity;
    return this.#identity;
  }
}

export function isCertificatePath(target: string): boolean {
  return PATH.test(target);
}
