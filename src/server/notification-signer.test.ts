import assert from "node:assert/strict";
import { createVerify, X509Certificate } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../tests/support/project.ts";
import { isFault } from "../base/fault.ts";
import { ServerNotificationSigner } from "./notification-signer.ts";
import { signBytes } from "./signing-identity.ts";

const baseUrl = () => "http://127.0.0.1:4566";

function served(signer: ServerNotificationSigner, target: string, method = "GET"): string | undefined {
  const response = signer.serve({ method, target });
  return response === undefined ? undefined : String(response.body);
}

function pathOf(signer: ServerNotificationSigner): string {
  return signer.certUrl().slice(baseUrl().length);
}

test("signatures of both versions are good by the certificate that is served", async () => {
  const signer = await ServerNotificationSigner.open({ folder: undefined, baseUrl });
  const text = "Message\nsüß\nType\nNotification\n";
  const [one, two] = [await signer.sign(text, "1"), await signer.sign(text, "2")];
  assert.match(signer.certUrl(), /^http:\/\/127\.0\.0\.1:4566\/SimpleNotificationService-[0-9a-f]{32}\.pem$/);
  const certificate = served(signer, pathOf(signer)) ?? "";
  assert.ok(createVerify("RSA-SHA1").update(text).verify(certificate, one, "base64"));
  assert.ok(createVerify("RSA-SHA256").update(text).verify(certificate, two, "base64"));
  assert.ok(!createVerify("RSA-SHA256").update(`${text}!`).verify(certificate, two, "base64"));
  const { fingerprint256 } = new X509Certificate(certificate);
  assert.ok(
    fingerprint256
      .replaceAll(":", "")
      .toLowerCase()
      .startsWith(/-([0-9a-f]+)\.pem$/.exec(signer.certUrl())?.[1] ?? "-"),
  );
});

test("a text is signed once for all who ask", async () => {
  let count = 0;
  const signer = await ServerNotificationSigner.open({
    folder: undefined,
    baseUrl,
    sign: (algorithm, bytes, key) => {
      count++;
      return signBytes(algorithm, bytes, key);
    },
  });
  const [one, again] = await Promise.all([signer.sign("a", "1"), signer.sign("a", "1")]);
  assert.equal(one, again);
  assert.equal(one, await signer.sign("a", "1"));
  assert.equal(count, 1);
  assert.notEqual(one, await signer.sign("a", "2"));
  assert.equal(count, 2);
});

test("signatures leave half of the threads to the log", async () => {
  let underWay = 0;
  let most = 0;
  const signer = await ServerNotificationSigner.open({
    folder: undefined,
    baseUrl,
    sign: async (algorithm, bytes, key) => {
      most = Math.max(most, ++underWay);
      return signBytes(algorithm, bytes, key).finally(() => underWay--);
    },
  });
  const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
  assert.equal(new Set(await Promise.all(texts.map((text) => signer.sign(text, "1")))).size, texts.length);
  assert.equal(most, 2);
});

test("the key outlives the process, in a file that only its owner reads", async (t) => {
  const folder = scratchFolder(t, "signer");
  const first = await ServerNotificationSigner.open({ folder, baseUrl });
  assert.equal(served(first, "/SimpleNotificationService-00.pem"), undefined);
  assert.deepEqual(readdirSync(folder), [], "no key is made before it is needed");
  const signatures = await Promise.all(["a", "b", "c"].map((text) => first.sign(text, "2")));
  assert.deepEqual(readdirSync(folder), ["sns-signing.pem"]);
  if (process.platform !== "win32") assert.equal(statSync(join(folder, "sns-signing.pem")).mode & 0o777, 0o600);

  const second = await ServerNotificationSigner.open({ folder, baseUrl });
  const certificate = served(second, pathOf(first));
  assert.ok(certificate?.startsWith("-----BEGIN CERTIFICATE-----"), "served before anything is signed again");
  assert.ok(!certificate?.includes("PRIVATE"));
  assert.equal(await second.sign("a", "2"), signatures[0]);
  assert.equal(second.certUrl(), first.certUrl());
});

test("other paths and methods are not certificates", async () => {
  const signer = await ServerNotificationSigner.open({ folder: undefined, baseUrl });
  await signer.sign("a", "1");
  const path = pathOf(signer);
  for (const other of ["/", "/SimpleNotificationService-00.pem", `${path}x`, `/a${path}`]) {
    assert.equal(served(signer, other), undefined, other);
  }
  assert.equal(served(signer, path, "POST"), undefined);
  assert.notEqual(served(signer, `${path}?x`), undefined);
});

test("a file that is no key is left as it is, and said", async (t) => {
  const folder = scratchFolder(t, "signer");
  const file = join(folder, "sns-signing.pem");
  const other = join(folder, "other");
  mkdirSync(other);
  await (await ServerNotificationSigner.open({ folder, baseUrl })).sign("a", "1");
  await (await ServerNotificationSigner.open({ folder: other, baseUrl })).sign("a", "1");
  const good = readFileSync(file, "utf8");
  const foreign = readFileSync(join(other, "sns-signing.pem"), "utf8");
  const [key, certificate] = [good, foreign].map((pem) => pem.split(/(?=-----BEGIN CERT)/)) as [string[], string[]];
  for (const bad of ["", "pond", key[0] ?? "", `${key[0]}${certificate[1]}`]) {
    writeFileSync(file, bad);
    await assert.rejects(
      ServerNotificationSigner.open({ folder, baseUrl }),
      (error) => isFault(error, "DiskFailed") && /sns-signing\.pem has no usable key: .* remove it/.test(error.message),
    );
    assert.equal(readFileSync(file, "utf8"), bad);
  }
});
