// Books that cannot be found wrong prove nothing: each rule is broken once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { auditJournals, emptyJournal, type Journal, type ReceivedRecord, type SentRecord } from "./journal.ts";

function sent(key: string, more: Partial<SentRecord> = {}): SentRecord {
  return {
    key,
    queue: "q",
    bodyMd5: key,
    group: undefined,
    place: 0,
    messageId: `id-${key}`,
    answeredAtMs: 10,
    ...more,
  };
}

function received(key: string, sentAtMs: number, more: Partial<ReceivedRecord> = {}): ReceivedRecord {
  return {
    key,
    queue: "q",
    bodyMd5: key,
    messageId: `id-${key}`,
    count: 1,
    sentAtMs,
    answeredAtMs: sentAtMs + 5,
    visibilityMs: 1000,
    answer: sentAtMs,
    ...more,
  };
}

function audit(...journals: Partial<Journal>[]): string[] {
  return auditJournals(journals.map((journal) => ({ ...emptyJournal(), ...journal })));
}

const deletedA = { key: "a", sentAtMs: 30, answeredAtMs: 40 };

test("clients whose books agree are told nothing", () => {
  const unanswered = sent("b", { messageId: undefined, answeredAtMs: undefined });
  const again = received("a", 2000, { count: 2 });
  const late = { key: "a", sentAtMs: 2010, answeredAtMs: 2020 };
  assert.deepEqual(
    audit({ sent: [sent("a"), unanswered] }, { received: [received("a", 20), again], deleted: [late] }),
    [],
  );
});

const first = sent("a", { group: "g" });
const second = sent("b", { group: "g", place: 1 });
const deletedB = { key: "b", sentAtMs: 60, answeredAtMs: 70 };

for (const { broken, journals } of [
  { broken: /a: acknowledged, and never came/, journals: [{ sent: [sent("a")] }] },
  { broken: /a: acknowledged, and gone without/, journals: [{ sent: [sent("a")], received: [received("a", 20)] }] },
  { broken: /a: received, but nobody sent it/, journals: [{ received: [received("a", 20)] }] },
  {
    broken: /a: exists 2 times/,
    journals: [{ sent: [sent("a")], received: [received("a", 20, { messageId: "other" })], deleted: [deletedA] }],
  },
  {
    broken: /a: its body is not/,
    journals: [{ sent: [sent("a")], received: [received("a", 20, { bodyMd5: "other" })], deleted: [deletedA] }],
  },
  {
    broken: /a: sent to q, received from p/,
    journals: [{ sent: [sent("a")], received: [received("a", 20, { queue: "p" })], deleted: [deletedA] }],
  },
  {
    broken: /a: received although its delete/,
    journals: [{ sent: [sent("a")], deleted: [deletedA] }, { received: [received("a", 50)] }],
  },
  {
    broken: /a: receive count 1 after 1/,
    journals: [
      { sent: [sent("a")], received: [received("a", 20)] },
      { received: [received("a", 2000)], deleted: [{ ...deletedA, sentAtMs: 2010, answeredAtMs: 2020 }] },
    ],
  },
  {
    broken: /a: received \d+ ms before its visibility/,
    journals: [
      { sent: [sent("a")], received: [received("a", 20)] },
      { received: [received("a", 26, { count: 2 })], deleted: [{ ...deletedA, sentAtMs: 35 }] },
    ],
  },
  {
    broken: /b was handed out while a before it/,
    journals: [
      { sent: [first, second], received: [received("a", 15)], deleted: [deletedA] },
      { received: [received("b", 20)], deleted: [deletedB] },
    ],
  },
]) {
  test(`books that are wrong are found out: ${broken.source}`, () => {
    const findings = audit(...journals);
    assert.equal(findings.length, 1, findings.join("; "));
    assert.match(findings[0] as string, broken);
  });
}
