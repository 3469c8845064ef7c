import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../../../tests/support/project.ts";
import { isFault } from "../../base/fault.ts";
import { type OutboundSettings, openOutbound } from "./outbound.ts";

const NOTHING: OutboundSettings = {
  outboundAllow: undefined,
  outboundDeny: undefined,
  outboundCa: undefined,
  smtpUrl: undefined,
  mailFrom: undefined,
};

test("mails can be sent when there is a mail server", () => {
  assert.equal(openOutbound(NOTHING).mail, undefined);
  const configured = openOutbound({ ...NOTHING, smtpUrl: "smtp://127.0.0.1:25", mailFrom: "pond@example.com" });
  assert.equal(typeof configured.mail, "function");
});

test("the rules of the settings hold", async () => {
  const outbound = openOutbound({ ...NOTHING, outboundDeny: "127.0.0.0/8" });
  const post = { url: "http://127.0.0.1:9/", headers: {}, body: "", timeoutMs: 5_000 };
  const result = await outbound.post(post, new AbortController().signal);
  assert.ok(result.is === "failed" && result.forGood);
  outbound.close();
});

test("a file of authorities without a certificate stops the start", () => {
  const folder = mkdtempSync(join(tmpdir(), "millpond-ca-"));
  try {
    const file = join(folder, "ca.pem");
    for (const content of ["pond", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]) {
      writeFileSync(file, content);
      assert.throws(() => openOutbound({ ...NOTHING, outboundCa: file }), isInvalid);
    }
    assert.throws(() => openOutbound({ ...NOTHING, outboundCa: join(folder, "none.pem") }), isInvalid);
  } finally {
    rmSync(folder, { recursive: true });
  }
  openOutbound({ ...NOTHING, outboundCa: join(projectRoot, "tests", "support", "tls", "certificate.pem") }).close();
});

function isInvalid(error: unknown): boolean {
  return isFault(error, "SettingInvalid") && error.message.includes("outbound-ca");
}
