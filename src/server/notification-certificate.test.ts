import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../tests/support/project.ts";
import { selfSignedCertificate } from "./notification-certificate.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

function certificate(serial: Uint8Array, notBeforeMs = Date.UTC(2026, 1, 3, 4, 5, 6)): Promise<string> {
  const content = { publicKey, commonName: "Millpond", serial, notBeforeMs };
  return selfSignedCertificate(content, async (bytes) => sign("RSA-SHA256", bytes, privateKey));
}

test("Node reads the certificate, and its key is the one that signed it", async () => {
  const read = new X509Certificate(await certificate(Buffer.from("7f01", "hex")));
  assert.equal(read.subject, "CN=Millpond");
  assert.equal(read.issuer, "CN=Millpond");
  assert.equal(read.serialNumber, "7F01");
  assert.equal(read.validFrom, "Feb  3 04:05:06 2026 GMT");
  assert.equal(read.validTo, "Dec 31 23:59:59 9999 GMT");
  assert.equal(read.ca, false);
  assert.ok(read.verify(publicKey));
  assert.ok(read.checkPrivateKey(createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }))));
  assert.ok(read.publicKey.equals(publicKey));
});

test("serial numbers with a leading zero or a set highest bit stay positive", async () => {
  for (const [given, shown] of [
    ["ff", "FF"],
    ["00ff", "FF"],
    ["0001", "01"],
    ["80".repeat(16), "80".repeat(16)],
  ] as const) {
    assert.equal(new X509Certificate(await certificate(Buffer.from(given, "hex"))).serialNumber, shown);
  }
});

test("dates from 2050 on have four digits of the year", async () => {
  assert.equal(
    new X509Certificate(await certificate(Buffer.of(1), Date.UTC(2050, 0, 1))).validFrom,
    "Jan  1 00:00:00 2050 GMT",
  );
});

test("OpenSSL reads it, too, and finds the signature good", async (t) => {
  const pem = await certificate(Buffer.of(1));
  const shown = spawnSync("openssl", ["x509", "-noout", "-text"], { input: pem, encoding: "utf8" });
  if (shown.error !== undefined) return t.skip("there is no openssl here");
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /Version: 3/);
  assert.match(shown.stdout, /Signature Algorithm: sha256WithRSAEncryption/);
  assert.match(shown.stdout, /X509v3 Basic Constraints: critical\s+CA:FALSE/);
  assert.match(shown.stdout, /X509v3 Key Usage: critical\s+Digital Signature/);
  const file = join(scratchFolder(t, "certificate"), "certificate.pem");
  writeFileSync(file, pem);
  const trusted = ["-partial_chain", "-check_ss_sig", "-trusted", file, file];
  const verified = spawnSync("openssl", ["verify", ...trusted], { encoding: "utf8" });
  assert.match(verified.stdout, /OK/, verified.stderr);
});
