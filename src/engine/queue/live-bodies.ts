// Which stretches of the log still hold bodies of messages. Counted over the table when the host wants to give log
// segments back, so that the hot path keeps no books; and in steps, so that nobody waits for a long table.

import { accept, type Result } from "../../base/result.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardCommandOf, ShardState } from "../state.ts";
import { FREE } from "./message-table.ts";

/**
 * Counts the live bytes of each stretch, given the first entry of each, ascending. The state may change between steps.
 * A message that stays in a stretch until the count ends is in it, since it keeps its slot, and bodies move only to
 * entries that are written now: nothing comes to life in a stretch that was complete when the count began. What ended
 * meanwhile may be counted or not.
 */
export class LiveBytesCount {
  readonly #state: ShardState;
  readonly #firstSeqs: number[];
  readonly live: number[];
  /** The last place where the body of a row was. */
  #index = 0;
  #slot = 0;

  constructor(state: ShardState, firstSeqs: number[]) {
    this.#state = state;
    this.#firstSeqs = firstSeqs;
    this.live = firstSeqs.map(() => 0);
  }

  /** Counts so many more rows; false when all have been counted. */
  step(rows: number): boolean {
    const { status, bodyEntry, bodyBytes, highWater } = this.#state.table;
    const { live } = this;
    const end = Math.min(highWater, this.#slot + rows);
    let index = this.#index;
    for (let slot = this.#slot; slot < end; slot++) {
      if (status.get(slot) === FREE) continue;
      const seq = bodyEntry.get(slot);
      if (!covers(this.#firstSeqs, index, seq)) index = find(this.#firstSeqs, seq);
      if (index >= 0) live[index] = (live[index] as number) + bodyBytes.get(slot);
    }
    this.#index = index;
    this.#slot = end;
    return end < highWater;
  }
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
