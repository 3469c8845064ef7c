// Which stretches of the log still hold bodies of messages. Counted over the table when the host wants to give log
// segments back (as often as it writes a snapshot, which reads the whole table anyway), so that the hot path keeps
// no books.

import { accept, type Result } from "../../base/result.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { FREE } from "./message-table.ts";

/** Live bytes of each stretch, given the first entry of each, ascending. */
export function liveBytesByStretch(state: ShardState, firstSeqs: number[]): number[] {
  const { status, bodyEntry, bodyBytes, highWater } = state.table;
  const live = firstSeqs.map(() => 0);
  let index = 0;
  for (let slot = 0; slot < highWater; slot++) {
    if (status[slot] === FREE) continue;
    const seq = bodyEntry[slot] as number;
    if (!covers(firstSeqs, index, seq)) index = find(firstSeqs, seq);
    if (index >= 0) live[index] = (live[index] as number) + (bodyBytes[slot] as number);
  }
  return live;
}

function covers(firstSeqs: number[], index: number, seq: number): boolean {
  return (
    (firstSeqs[index] ?? Number.POSITIVE_INFINITY) <= seq && seq < (firstSeqs[index + 1] ?? Number.POSITIVE_INFINITY)
  );
}

/** The last stretch that begins at or before `seq`; -1 before the first. */
function find(firstSeqs: number[], seq: number): number {
  let low = -1;
  let high = firstSeqs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((firstSeqs[middle] as number) <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Writes rows that are still alive again, with the content that copies among them share. */
export function decideMoveBodies(
  state: ShardState,
  command: ShardCommandOf<"moveBodies">,
  record: Recorder,
): Result<null, Refusal> {
  const rows = command.rows.filter(({ slot, seq }) => state.table.holds(slot, seq));
  if (rows.length > 0 && command.content !== undefined) record({ kind: "ContentRecorded", content: command.content });
  for (const row of rows) record({ kind: "BodyMoved", ...row });
  return accept(null);
}
