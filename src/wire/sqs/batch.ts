// What the three batch operations share. A batch is first checked as a whole, in AWS's order; then each entry stands
// or falls alone. Entries that fail here never reach the engine, and the answer is put together in request order.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Command, EntryResult, QueueKey } from "../../engine/command.ts";
import { BATCH_ENTRIES_MAX, BATCH_ID_CHARACTERS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { missingParameter, refusal } from "../../engine/refusal.ts";
import { errors } from "./errors.ts";
import type { Plan } from "./operation.ts";

export interface BatchError {
  Id: string;
  SenderFault: boolean;
  Code: string;
  Message: string;
}

export interface BatchOutput<Success> {
  /** Absent when empty, both of them. */
  Successful?: Success[];
  Failed?: BatchError[];
}

/** An entry after its own checks: what goes into the command, or why it fails. */
export interface BatchItem<Item> {
  id: string;
  read: Result<Item, Refusal>;
}

const BATCH_ID = /^[A-Za-z0-9_-]+$/;

/** `entryName` is the entry's name in the Query protocol; the text for an empty visibility batch differs. */
export function checkBatch(
  entries: readonly { Id?: string }[] | undefined,
  entryName: string,
  emptyName = entryName,
): Refusal | undefined {
  if (entries === undefined || entries.length === 0) {
    return refusal("EmptyBatchRequest", `There should be at least one ${emptyName} in the request.`);
  }
  if (entries.length > BATCH_ENTRIES_MAX) {
    const sent = `You have sent ${entries.length}.`;
    const text = `Maximum number of entries per request are ${BATCH_ENTRIES_MAX}. ${sent}`;
    return refusal("TooManyEntriesInBatchRequest", text);
  }
  return checkIds(entries, entryName);
}

function checkIds(entries: readonly { Id?: string }[], entryName: string): Refusal | undefined {
  for (let index = 0; index < entries.length; index++) {
    const id = entries[index]?.Id;
    if (id === undefined) return missingParameter(`${entryName}.${index + 1}.Id`);
    if (id.length > BATCH_ID_CHARACTERS_MAX || !BATCH_ID.test(id)) {
      const allowed = "A batch entry id can only contain alphanumeric characters, hyphens and underscores.";
      return refusal("InvalidBatchEntryId", `${allowed} It can be at most ${BATCH_ID_CHARACTERS_MAX} letters long.`);
    }
  }
  // At most ten: comparing each with each costs less than a set of them.
  for (let index = 1; index < entries.length; index++) {
    const id = entries[index]?.Id;
    for (let before = 0; before < index; before++) {
      if (entries[before]?.Id === id) return refusal("BatchEntryIdsNotDistinct", `Id ${id} repeated.`);
    }
  }
  return undefined;
}

/**
 * Plans a batch. `toCommand` gets the good entries, `toSuccess` one of them with the engine's value for it. When no
 * entry is good there is nothing to command, but the queue must still be there: the plan asks for it.
 */
export function planBatch<Item, Value, Success>(
  queue: QueueKey,
  items: readonly BatchItem<Item>[],
  toCommand: (good: Item[]) => Command,
  toSuccess: (id: string, item: Item, value: Value) => Success,
): Result<Plan<BatchOutput<Success>>, Refusal> {
  const good: Item[] = [];
  for (const { read } of items) if (read.ok) good.push(read.value);
  if (good.length === 0) {
    return accept({ command: { kind: "getQueue", queue }, toOutput: () => accept(merge(items, [], toSuccess)) });
  }
  return accept({
    command: toCommand(good),
    toOutput: (answer: { entries: EntryResult<Value>[] }) => accept(merge(items, answer.entries, toSuccess)),
  });
}

function merge<Item, Value, Success>(
  items: readonly BatchItem<Item>[],
  results: readonly EntryResult<Value>[],
  toSuccess: (id: string, item: Item, value: Value) => Success,
): BatchOutput<Success> {
  const successful: Success[] = [];
  const failed: BatchError[] = [];
  let resultIndex = 0;
  for (const { id, read } of items) {
    const result = read.ok ? (results[resultIndex++] as EntryResult<Value>) : refuse(read.refusal);
    if (!result.ok) failed.push(batchError(id, result.refusal));
    else if (read.ok) successful.push(toSuccess(id, read.value, result.value));
  }
  const output: BatchOutput<Success> = {};
  if (successful.length > 0) output.Successful = successful;
  if (failed.length > 0) output.Failed = failed;
  return output;
}

/** Entries carry the Query code in both protocols. */
function batchError(id: string, refused: Refusal): BatchError {
  const { queryCode, fault } = errors.spellingOf(refused.code);
  return { Id: id, SenderFault: fault === "Sender", Code: queryCode, Message: errors.queryMessageOf(refused) };
}
