// The books of clients that are processes of their own: each writes down what it asked and what it was told, and the
// test lays the journals beside each other when all is over. Times are the machine's monotonic clock, which its
// processes share. "Before" is only concluded from requests that do not overlap.

/** Slack between that clock and the server's, which follows the time of day. */
const CLOCK_SLACK_MS = 50;

export interface SentRecord {
  key: string;
  queue: string;
  bodyMd5: string;
  /** Of a FIFO queue: its group and its place in it, from 0. */
  group: string | undefined;
  place: number;
  /** Undefined while no answer came. */
  messageId: string | undefined;
  answeredAtMs: number | undefined;
}

export interface ReceivedRecord {
  key: string;
  queue: string;
  bodyMd5: string;
  messageId: string;
  count: number;
  sentAtMs: number;
  answeredAtMs: number;
  visibilityMs: number;
  /** Messages of one answer have the same number, within a journal. */
  answer: number;
}

export interface DeletedRecord {
  key: string;
  sentAtMs: number;
  /** Undefined when no answer came: it may have been carried out. */
  answeredAtMs: number | undefined;
}

export interface Journal {
  sent: SentRecord[];
  received: ReceivedRecord[];
  deleted: DeletedRecord[];
  lostReceives: number;
}

export function emptyJournal(): Journal {
  return { sent: [], received: [], deleted: [], lostReceives: 0 };
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

interface Story {
  sent: SentRecord;
  /** In the order of their answers. */
  received: (ReceivedRecord & { by: number })[];
  mayBeDeletedFromMs: number;
  isDeletedFromMs: number;
}

/** Everything in the journals that breaks a promise, given that the queues were emptied in the end. */
export function auditJournals(journals: readonly Journal[]): string[] {
  const findings: string[] = [];
  const stories = new Map<string, Story>();
  for (const sent of journals.flatMap((journal) => journal.sent)) {
    stories.set(sent.key, {
      sent,
      received: [],
      mayBeDeletedFromMs: Number.POSITIVE_INFINITY,
      isDeletedFromMs: Number.POSITIVE_INFINITY,
    });
  }
  for (const [by, { received, deleted }] of journals.entries()) {
    for (const record of received) {
      const story = stories.get(record.key);
      if (story === undefined) findings.push(`${record.key}: received, but nobody sent it`);
      else story.received.push({ ...record, by });
    }
    for (const { key, sentAtMs, answeredAtMs = Number.POSITIVE_INFINITY } of deleted) {
      const story = stories.get(key) as Story;
      story.mayBeDeletedFromMs = Math.min(story.mayBeDeletedFromMs, sentAtMs);
      story.isDeletedFromMs = Math.min(story.isDeletedFromMs, answeredAtMs);
    }
  }
  for (const story of stories.values()) {
    story.received.sort((a, b) => a.answeredAtMs - b.answeredAtMs);
    auditMessage(story, findings);
  }
  auditOrder(stories, findings);
  return findings;
}

function auditMessage({ sent, received, mayBeDeletedFromMs, isDeletedFromMs }: Story, findings: string[]): void {
  const { key } = sent;
  if (sent.answeredAtMs !== undefined && mayBeDeletedFromMs === Number.POSITIVE_INFINITY) {
    findings.push(`${key}: acknowledged, and ${received.length === 0 ? "never came" : "gone without a delete"}`);
  }
  const ids = new Set(received.map(({ messageId }) => messageId));
  if (sent.messageId !== undefined) ids.add(sent.messageId);
  if (ids.size > 1) findings.push(`${key}: exists ${ids.size} times, as ${[...ids].join(" and ")}`);
  for (const [index, record] of received.entries()) {
    const { queue, bodyMd5, count, sentAtMs, answeredAtMs } = record;
    if (queue !== sent.queue) findings.push(`${key}: sent to ${sent.queue}, received from ${queue}`);
    if (bodyMd5 !== sent.bodyMd5) findings.push(`${key}: its body is not what was sent`);
    if (sentAtMs > isDeletedFromMs) findings.push(`${key}: received although its delete was acknowledged before`);
    for (const before of received.slice(0, index)) {
      if (before.answeredAtMs >= sentAtMs) continue;
      if (count <= before.count) findings.push(`${key}: receive count ${count} after ${before.count}`);
      const earlyMs = before.sentAtMs + before.visibilityMs - CLOCK_SLACK_MS - answeredAtMs;
      if (earlyMs > 0)
        findings.push(`${key}: received ${Math.round(earlyMs)} ms before its visibility timeout was over`);
    }
  }
}

/** Nothing is handed out while something before it in its group is there, unless in the same answer. */
function auditOrder(stories: ReadonlyMap<string, Story>, findings: string[]): void {
  const groups = new Map<string, Story[]>();
  for (const story of stories.values()) {
    const { group } = story.sent;
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), story]);
  }
  for (const group of groups.values()) {
    group.sort((a, b) => a.sent.place - b.sent.place);
    for (const [index, { sent, received }] of group.entries()) {
      for (const { by, answer, answeredAtMs } of received) {
        for (const earlier of group.slice(0, index)) {
          const isTogether = earlier.received.some((other) => other.by === by && other.answer === answer);
          if (earlier.mayBeDeletedFromMs < answeredAtMs || isTogether) continue;
          findings.push(`${sent.key} was handed out while ${earlier.sent.key} before it was still there`);
        }
      }
    }
  }
}
