// One stored record, and what it means to somebody who wants to begin. The stores that can run a condition of their own
// (SQL, Lua, DynamoDB expressions) say the same there; this is the readable form, and the one that explains a refusal.

export interface StoredRecord {
  state: "running" | "done" | "free";
  owner: string;
  fence: number;
  fingerprint: string | undefined;
  result: string | undefined;
  /** While running: when a rival may take over. */
  leaseUntilMs: number;
  /** From when on the record counts as absent. */
  expiresAtMs: number;
}

export type Judgement =
  | { is: "open" }
  | { is: "done"; result: string | undefined }
  | { is: "busy"; retryAfterMs: number }
  | { is: "mismatch" };

/** `skewMs` is by how much the clock that wrote the lease may be behind the one that reads it. */
export function judge(
  record: StoredRecord | undefined,
  fingerprint: string | undefined,
  nowMs: number,
  skewMs = 0,
): Judgement {
  if (record === undefined || record.expiresAtMs <= nowMs) return { is: "open" };
  const differs = record.fingerprint !== undefined && fingerprint !== undefined && record.fingerprint !== fingerprint;
  // A record that was given up keeps its fingerprint: the work may have got half way with the first body.
  if (differs) return { is: "mismatch" };
  if (record.state === "done") return { is: "done", result: record.result };
  const takeOverAtMs = record.leaseUntilMs + skewMs;
  if (record.state === "free" || takeOverAtMs <= nowMs) return { is: "open" };
  return { is: "busy", retryAfterMs: takeOverAtMs - nowMs };
}

export type NewerJudgement = { is: "open" } | { is: "stale"; newest: bigint } | { is: "busy"; retryAfterMs: number };

/** The same for a record whose result is the newest version. */
export function judgeNewer(record: StoredRecord | undefined, version: bigint, nowMs: number): NewerJudgement {
  if (record === undefined || record.expiresAtMs <= nowMs) return { is: "open" };
  const newest = record.result === undefined ? undefined : BigInt(record.result);
  // Whoever is at work on a newer one changes nothing about that.
  if (newest !== undefined && version <= newest) return { is: "stale", newest };
  if (record.state !== "running" || record.leaseUntilMs <= nowMs) return { is: "open" };
  return { is: "busy", retryAfterMs: record.leaseUntilMs - nowMs };
}
