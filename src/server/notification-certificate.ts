// A self-signed X.509 certificate (RFC 5280) around an RSA key, in DER: Node reads certificates but makes none. Those
// who check a notification's signature only take the public key from it, so it says little else:
//
//   Certificate    { toBeSigned, sha256WithRSA, signature over toBeSigned }
//   toBeSigned     { [0] version 3, serial, sha256WithRSA, issuer, validity, subject = issuer, public key,
//                    [3] extensions: not an authority; for signatures only }

import type { KeyObject } from "node:crypto";

/** Asynchronous, so that signing does not hold up the event loop. */
export type SignBytes = (bytes: Uint8Array) => Promise<Uint8Array>;

export interface CertificateContent {
  publicKey: KeyObject;
  commonName: string;
  /** 1 to 20 bytes. */
  serial: Uint8Array;
  notBeforeMs: number;
}

/** PEM. `sign` makes SHA256withRSA signatures with the private key. */
export async function selfSignedCertificate(content: CertificateContent, sign: SignBytes): Promise<string> {
  const toBeSigned = encodeToBeSigned(content);
  const certificate = sequence(toBeSigned, SHA256_WITH_RSA, bitString(await sign(toBeSigned)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function encodeToBeSigned({ publicKey, commonName, serial, notBeforeMs }: CertificateContent): Buffer {
  const name = sequence(element(TAG.set, sequence(objectId(2, 5, 4, 3), element(TAG.utf8, Buffer.from(commonName)))));
  const validity = sequence(time(new Date(notBeforeMs).toISOString()), time(NEVER));
  const version3 = element(TAG.explicit0, integer(Uint8Array.of(2)));
  // The public key comes from Node as the structure that belongs here.
  const keyInfo = publicKey.export({ type: "spki", format: "der" });
  return sequence(version3, integer(serial), SHA256_WITH_RSA, name, validity, name, keyInfo, extensions());
}

function extensions(): Buffer {
  const notAnAuthority = sequence(objectId(2, 5, 29, 19), TRUE, octetString(sequence()));
  // Bit 0 of the key usages is digitalSignature; 7 bits of the byte are unused.
  const signaturesOnly = sequence(
    objectId(2, 5, 29, 15),
    TRUE,
    octetString(element(TAG.bitString, Buffer.of(7, 0x80))),
  );
  return element(TAG.explicit3, sequence(notAnAuthority, signaturesOnly));
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectId: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  explicit0: 0xa0,
  explicit3: 0xa3,
} as const;

/** What RFC 5280 says when nothing is meant to run out: the key is served for as long as it signs. */
const NEVER = "9999-12-31T23:59:59.000Z";
const TRUE = element(TAG.boolean, Buffer.of(0xff));
const SHA256_WITH_RSA = sequence(objectId(1, 2, 840, 113549, 1, 1, 11), element(TAG.null, Buffer.alloc(0)));

function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
}

/** One byte up to 127; else how many bytes the length has, and they, the greatest first. */
function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.of(bytes);
  const hex = bytes.toString(16);
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.of(0x80 | digits.length), digits]);
}

function sequence(...parts: Uint8Array[]): Buffer {
  return element(TAG.sequence, Buffer.concat(parts));
}

function octetString(content: Uint8Array): Buffer {
  return element(TAG.octetString, content);
}

/** Whole bytes: none of the last byte's bits is unused. */
function bitString(content: Uint8Array): Buffer {
  return element(TAG.bitString, Buffer.concat([Buffer.of(0), content]));
}

/** Positive: a zero byte goes before a set highest bit, and no other zero byte leads. */
function integer(magnitude: Uint8Array): Buffer {
  const start = magnitude.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.of(0) : magnitude.subarray(start);
  return element(TAG.integer, (digits[0] as number) < 0x80 ? digits : Buffer.concat([Buffer.of(0), digits]));
}

/** The first two numbers share a byte; each further one goes in groups of 7 bits, all but its last marked. */
function objectId(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift(0x80 | (left & 0x7f));
    bytes.push(...groups);
  }
  return element(TAG.objectId, Buffer.from(bytes));
}

/** RFC 5280 wants two digits of the year before 2050, and four from then on. `iso` is in UTC. */
function time(iso: string): Buffer {
  const digits = iso.replace(/\.\d+/, "").replace(/[-:T]/g, "");
  return Number(iso.slice(0, 4)) < 2050
    ? element(TAG.utcTime, Buffer.from(digits.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(digits));
}
