import assert from "node:assert/strict";
import { test } from "node:test";
import { isMailAddress } from "../../../base/mail-address.ts";
import { type Mail, mailText } from "./mail-text.ts";

const MAIL: Mail = {
  from: "pond@example.com",
  to: "ann@example.org",
  subject: "Level",
  text: "High.\nVery.",
  sentAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  messageId: "1@example.com",
};

function headersOf(mail: Partial<Mail>): string[] {
  return (mailText({ ...MAIL, ...mail }).split("\r\n\r\n")[0] ?? "").split("\r\n");
}

/** Encoded words put together again. */
function decoded(text: string): string {
  return text.replace(/=\?UTF-8\?B\?([^?]*)\?=(?:\r\n )?/g, (_, word: string) =>
    Buffer.from(word, "base64").toString(),
  );
}

test("a plain mail", () => {
  assert.equal(
    mailText(MAIL),
    [
      "From: pond@example.com",
      "To: ann@example.org",
      "Subject: Level",
      "Date: Fri, 02 Jan 2026 03:04:05 +0000",
      "Message-ID: <1@example.com>",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=UTF-8",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from("High.\r\nVery.").toString("base64"),
      "",
    ].join("\r\n"),
  );
});

test("names and subjects of any alphabet and length fit into lines", () => {
  const subject = "Wasserstände über dem Pegel 🌊🌊🌊 und noch viel mehr, was man sagen könnte, wenn Platz wäre";
  const text = mailText({ ...MAIL, subject, fromName: "Mühlenteich" });
  assert.ok(text.split("\r\n").every((line) => line.length <= 90 && !line.startsWith(".")));
  assert.ok(decoded(text).includes(`Subject: ${subject}`));
  assert.match(decoded(text), /^From: Mühlenteich <pond@example\.com>\r\n/);
  assert.equal(headersOf({ fromName: 'The "old" mill' })[0], 'From: "The \\"old\\" mill" <pond@example.com>');
  assert.match(headersOf({ subject: "=?x?=" })[2] ?? "", /^Subject: =\?UTF-8\?B\?/);
});

test("nothing that is given can add a header", () => {
  const lines = headersOf({ subject: "a\r\nBcc: eve@example.net", fromName: "b\nBcc: eve@example.net" });
  assert.equal(lines.length, 9);
  assert.ok(!lines.some((line) => line.startsWith("Bcc")));
  for (const bad of ["a@b\r\nBcc: c@d", "a@b>", "<a@b", "a b@c", "a@", "@b", "a", "ä@b", "a@b c", "a@-b"]) {
    assert.equal(isMailAddress(bad), false, bad);
  }
  for (const good of ["a@b", "a.b+c@mail.example.com", "o'neil@example.org"]) assert.ok(isMailAddress(good), good);
});

test("long texts are cut into short lines", () => {
  const text = "x".repeat(5_000);
  const body = mailText({ ...MAIL, text }).split("\r\n\r\n")[1] ?? "";
  assert.ok(body.split("\r\n").every((line) => line.length <= 76));
  assert.equal(Buffer.from(body, "base64").toString(), text);
});
