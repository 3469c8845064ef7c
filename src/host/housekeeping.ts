// Keeps recovery short and the log bounded. When enough was appended since the last snapshot, a new one is written;
// segments that the older of the two kept snapshots covers and that hold no live message are given back; a sealed
// segment in which little is alive has its live messages appended again, so that the next round can give it back.
//
// What must not happen: a segment goes although a delete that emptied it could still be lost. So everything recorded
// when liveness was counted is made durable before anything is given back.
//
// None of it may hold up requests: whatever takes longer with a deeper backlog is done in steps, with turns of the
// event loop in between.

import { type DecodedFact, decodeFacts, isReference, LiveBytesCount, SnapshotWriter } from "../engine/index.ts";
import type { SegmentInfo, SnapshotRef } from "../log/index.ts";
import type { HostOptions, HostThresholds } from "./host.ts";
import type { Shard } from "./shard.ts";

/** Rows that are looked at in one step: some tenths of a millisecond. */
const COUNTED_AT_ONCE = 16_384;
/** Facts of an entry that are looked at, and their messages appended again, in one step. */
const RESCUED_AT_ONCE = 64;

export class Housekeeping {
  readonly #shard: Shard;
  readonly #thresholds: HostThresholds;
  readonly #log: HostOptions["log"];
  #lastSnapshotBytes = 0;
  #running: Promise<void> | undefined;
  /** After a failure, how much more log to wait for. */
  #backOffBytes = 0;

  constructor(shard: Shard, thresholds: HostThresholds, log: HostOptions["log"]) {
    this.#shard = shard;
    this.#thresholds = thresholds;
    this.#log = log;
  }

  /** Cheap; called after every change. */
  poke(): void {
    if (this.#running !== undefined) return;
    const dueBytes = Math.max(this.#thresholds.snapshotAfterBytesMin, 2 * this.#lastSnapshotBytes) + this.#backOffBytes;
    if (this.#shard.bytesSinceSnapshot < dueBytes) return;
    this.#running = this.#round().finally(() => {
      this.#running = undefined;
    });
  }

  async finish(): Promise<void> {
    await this.#running;
  }

  async #round(): Promise<void> {
    try {
      await this.writeSnapshot();
      await this.#giveBack();
      await this.#clean();
      this.#backOffBytes = 0;
    } catch (error) {
      this.#backOffBytes += this.#thresholds.snapshotAfterBytesMin / 4;
      this.#log("warn", `Shard ${this.#shard.index} could not write a snapshot or clean its log; it will try again.`, {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  async writeSnapshot(): Promise<void> {
    const shard = this.#shard;
    const { state } = shard;
    const seq = shard.cut();
    const writer = new SnapshotWriter(state, true);
    const bytesBefore = shard.bytesSinceSnapshot + shard.pendingBytes;
    let written: SnapshotRef;
    try {
      await shard.whenDurable(seq);
      written = await shard.storage.snapshots.put(seq, inTurns(writer));
    } finally {
      writer.stop();
    }
    // Read again meanwhile: then it starts from this snapshot or an older one, and counts for itself.
    if (shard.state !== state) return;
    this.#lastSnapshotBytes = written.bytes;
    shard.snapshotTaken(seq, bytesBefore);
  }

  async #giveBack(): Promise<void> {
    const shard = this.#shard;
    const { log, snapshots } = shard.storage;
    const kept = await snapshots.list();
    const older = kept.at(-1);
    if (older === undefined || kept.length < 2) return;
    const segments = log.segments().filter((segment) => segment.sealed && segment.lastSeq <= older.seq);
    const { state } = shard;
    const live = await this.#liveBytes(segments);
    // A shard that is read again loses what was not acknowledged: messages that the count saw end may be back.
    shard.assertServing();
    if (shard.state !== state) return;
    const dead = new Set(segments.filter((_, index) => live[index] === 0).map((segment) => segment.firstSeq));
    await shard.whenDurable(shard.cut());
    if (dead.size > 0) await log.trim(older.seq, (segment) => dead.has(segment.firstSeq));
  }

  async #clean(): Promise<void> {
    const { cleanAboveDeadBytes, cleanBelowLiveShare } = this.#thresholds;
    const segments = this.#shard.storage.log.segments().filter((segment) => segment.sealed);
    const live = await this.#liveBytes(segments);
    const liveSum = live.reduce((sum, bytes) => sum + bytes, 0);
    const deadSum = segments.reduce((sum, segment) => sum + segment.bytes, 0) - liveSum;
    if (deadSum < cleanAboveDeadBytes || deadSum < liveSum) return;
    for (const [index, segment] of segments.entries()) {
      const liveBytes = live[index] as number;
      if (liveBytes > 0 && liveBytes < segment.bytes * cleanBelowLiveShare) await this.#rescue(segment);
    }
  }

  /** Appends the segment's live messages again, an entry at a time, waiting for each. */
  async #rescue(segment: SegmentInfo): Promise<void> {
    const shard = this.#shard;
    for await (const entry of shard.storage.log.read(segment.firstSeq)) {
      if (entry.seq > segment.lastSeq) return;
      let movedTo = 0;
      const move = (content: Uint8Array | undefined, rows: LiveRow[]): void => {
        if (rows.length === 0) return;
        movedTo = shard.perform<"moveBodies">({ kind: "moveBodies", content, rows }).dependsOn;
      };
      // Copies follow the content that they refer to, and take it along once.
      let content: Uint8Array | undefined;
      let copies: LiveRow[] = [];
      let factCount = 0;
      for (const decoded of decodeFacts(entry.payload)) {
        factCount += 1;
        if (factCount % RESCUED_AT_ONCE === 0) await nextTurn();
        if (decoded.fact.kind === "ContentRecorded") {
          move(content, copies);
          content = decoded.fact.content;
          copies = [];
        }
        const row = liveRow(shard, entry.seq, decoded);
        if (row === undefined) continue;
        if (isReference(row.envelope)) copies.push(row);
        else move(undefined, [row]);
      }
      move(content, copies);
      if (movedTo > 0) await shard.whenDurable(movedTo);
    }
  }

  async #liveBytes(segments: SegmentInfo[]): Promise<number[]> {
    // The stretch after the last sealed segment must not be counted as part of it.
    const last = segments.at(-1);
    const firstSeqs = segments.map((segment) => segment.firstSeq);
    if (last !== undefined) firstSeqs.push(last.lastSeq + 1);
    const count = new LiveBytesCount(this.#shard.state, firstSeqs);
    while (count.step(COUNTED_AT_ONCE)) await nextTurn();
    return count.live.slice(0, segments.length);
  }
}

async function* inTurns(writer: SnapshotWriter): AsyncGenerator<Uint8Array> {
  for (let piece = writer.next(); piece !== undefined; piece = writer.next()) {
    yield piece;
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface LiveRow {
  slot: number;
  seq: number;
  envelope: Uint8Array;
}

function liveRow(shard: Shard, entrySeq: number, { fact, envelopeOffset }: DecodedFact): LiveRow | undefined {
  if (!("envelope" in fact)) return undefined;
  const { slot, seq, envelope } = fact;
  const { table } = shard.state;
  const isHere =
    table.holds(slot, seq) && table.bodyEntry.get(slot) === entrySeq && table.bodyOffset.get(slot) === envelopeOffset;
  return isHere ? { slot, seq, envelope } : undefined;
}
