// What a function's answer says about the messages of its batch. Without ReportBatchItemFailures an answer says that
// all went well, whatever it is; with it, the answer has to be of the right shape, or the whole batch counts as failed
// (developer guide, "implementing partial batch responses"; case C071).

export type BatchVerdict =
  | { is: "succeeded" }
  /** Ids of those that failed, at least one; the others succeeded. */
  | { is: "partly"; failed: ReadonlySet<string> }
  | { is: "unreadable"; reason: string };

/** `ids` are the message ids of the batch. */
export function readBatchResponse(payload: Uint8Array, ids: ReadonlySet<string>): BatchVerdict {
  if (payload.length === 0) return { is: "succeeded" };
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("utf8"));
  } catch {
    return unreadable("the answer is not JSON");
  }
  // What a handler without a return value answers.
  if (answer === null || answer === "") return { is: "succeeded" };
  if (typeof answer !== "object" || Array.isArray(answer)) return unreadable("the answer is not an object");
  const failures = (answer as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === undefined || failures === null) return { is: "succeeded" };
  if (!Array.isArray(failures)) return unreadable("batchItemFailures is not a list");
  return readFailures(failures, ids);
}

function readFailures(failures: readonly unknown[], ids: ReadonlySet<string>): BatchVerdict {
  const failed = new Set<string>();
  for (const failure of failures) {
    const id = (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier;
    if (typeof id !== "string" || id === "") return unreadable("an entry has no itemIdentifier");
    if (!ids.has(id)) return unreadable(`${id} is not the id of a message in the batch`);
    failed.add(id);
  }
  return failed.size === 0 ? { is: "succeeded" } : { is: "partly", failed };
}

function unreadable(reason: string): BatchVerdict {
  return { is: "unreadable", reason: `The batch response cannot be read: ${reason}.` };
}
