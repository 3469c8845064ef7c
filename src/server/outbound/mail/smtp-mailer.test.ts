import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cert,
  type FakeMailAnswers,
  type FakeMailServer,
  fakeMailServer,
} from "../../../../tests/support/fake-mail-server.ts";
import { SmtpMailer, type SmtpMailerOptions } from "./smtp-mailer.ts";

const MAIL = { to: "ann@example.org", fromName: "Pond", subject: "Level", text: "High.\n.\nVery." };

function mailer({ port }: FakeMailServer, server: object = {}, more: Partial<SmtpMailerOptions> = {}) {
  const made = new SmtpMailer({
    server: { host: "127.0.0.1", port, secure: false, ...server },
    from: "pond@example.com",
    ca: [cert],
    ...more,
  });
  return (mail: Partial<typeof MAIL> = {}, signal = new AbortController().signal) =>
    made.send({ ...MAIL, ...mail }, signal);
}

const ACCEPTED = { is: "answered", status: 250 };

test("a mail is handed over", async (t) => {
  const fake = await fakeMailServer(t);
  assert.deepEqual(await mailer(fake)(), ACCEPTED);
  assert.deepEqual(fake.said.slice(0, 4), [
    "EHLO example.com",
    "MAIL FROM:<pond@example.com>",
    "RCPT TO:<ann@example.org>",
    "DATA",
  ]);
  assert.ok(fake.said.includes('From: "Pond" <pond@example.com>'));
  const blank = fake.said.indexOf("");
  assert.equal(Buffer.from(fake.said[blank + 1] ?? "", "base64").toString(), "High.\r\n.\r\nVery.");
  assert.equal(fake.said.indexOf("."), fake.said.length - 1);
});

test("TLS begins when the server offers it, and the login goes inside", async (t) => {
  const fake = await fakeMailServer(t, {
    EHLO: "250-fake\r\n250-AUTH PLAIN\r\n250 STARTTLS",
    STARTTLS: "220 go",
    "EHLO inside": "250-fake\r\n250 AUTH PLAIN LOGIN",
    AUTH: "235 welcome",
  });
  assert.deepEqual(await mailer(fake, { user: "me", password: "ß" })(), ACCEPTED);
  const login = `AUTH PLAIN ${Buffer.from("\0me\0ß").toString("base64")}`;
  assert.deepEqual(fake.said.slice(0, 4), ["EHLO example.com", "STARTTLS", "EHLO example.com", login]);
});

test("smtps speaks TLS from the first byte; the older login works too", async (t) => {
  const fake = await fakeMailServer(
    t,
    { EHLO: "250 AUTH LOGIN", AUTH: "334 ", bWU: "334 ", "bWU=": "334 ", "cHc=": "235 in" },
    true,
  );
  assert.deepEqual(await mailer(fake, { secure: true, user: "me", password: "pw" })(), ACCEPTED);
  assert.deepEqual(fake.said.slice(1, 4), ["AUTH LOGIN", "bWU=", "cHc="]);
});

test("a certificate that nobody vouches for ends it before anything is said", async (t) => {
  const fake = await fakeMailServer(t, { EHLO: "250 STARTTLS", STARTTLS: "220 go" });
  const result = await mailer(fake, { user: "me", password: "pw" }, { ca: [] })();
  assert.ok(result.is === "failed" && !result.forGood);
  assert.match(result.reason, /certificate/);
  assert.deepEqual(fake.said, ["EHLO example.com", "STARTTLS"]);
});

test("what was slipped in before TLS is not taken for the server's word", async (t) => {
  const fake = await fakeMailServer(t, { EHLO: "250 STARTTLS", STARTTLS: "220 go\r\n250 slipped in" });
  const result = await mailer(fake)();
  assert.ok(result.is === "failed");
  assert.match(result.reason, /before TLS began/);
});

test("a refused recipient is refused for good; a busy or misconfigured server is tried again", async (t) => {
  const cases: [FakeMailAnswers, object, boolean, RegExp][] = [
    [{ RCPT: "550 no such user" }, {}, true, /answered 550 to RCPT TO:<ann@example\.org>: no such user/],
    [{ ".": "554 spam" }, {}, true, /answered 554 to the mail: spam/],
    [{ RCPT: "450 later" }, {}, false, /450/],
    [{ connect: "554 go away" }, {}, false, /554 to the connection/],
    [
      { AUTH: "535 wrong" },
      { user: "me", password: "secret" },
      false,
      /^The mail server answered 535 to AUTH PLAIN: wrong$/,
    ],
    [{ connect: "SSH-2.0-pond" }, {}, false, /not a mail server/],
  ];
  for (const [answers, server, forGood, reason] of cases) {
    const result = await mailer(await fakeMailServer(t, answers), server)();
    assert.ok(result.is === "failed");
    assert.match(result.reason, reason);
    assert.equal(result.forGood, forGood, result.reason);
  }
});

test("an address that could carry commands is not used", async (t) => {
  const fake = await fakeMailServer(t);
  const result = await mailer(fake)({ to: "a@b>\r\nRCPT TO:<eve@example.net" });
  assert.ok(result.is === "failed" && result.forGood);
  assert.deepEqual(fake.said, []);
});

test("a server that does not answer is given up in time, or when the server stops", async (t) => {
  const fake = await fakeMailServer(t, { connect: undefined });
  const late = await mailer(fake, {}, { timeoutMs: 30 })();
  assert.deepEqual(late, { is: "failed", reason: "The mail server took longer than 0.03 s.", forGood: false });
  const stop = new AbortController();
  const sending = mailer(fake)({}, stop.signal);
  stop.abort();
  assert.deepEqual(await sending, { is: "failed", reason: "The server is stopping.", forGood: false });
});
