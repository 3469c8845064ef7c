// A log in memory: for --memory and for tests of what stands on a log. Keeps nothing when the process ends. It has
// segments like the real one, so that cleaning and trimming work, and memory does not grow for ever.

import { assert } from "../base/assert.ts";
import { Fault } from "../base/fault.ts";
import {
  type AppendResult,
  type Chunks,
  type Entry,
  type EntrySeq,
  type EntryStamp,
  type LogRoom,
  PAYLOAD_BYTES_MAX,
  type SegmentInfo,
  type ShardLog,
  type ShardStorage,
  type SnapshotRef,
  type SnapshotStore,
} from "./log.ts";

const SEGMENT_BYTES = 16 * 1024 * 1024;

interface MemorySegment {
  firstSeq: EntrySeq;
  entries: Entry[];
  bytes: number;
}

export function openMemoryStorage(segmentBytesMax = SEGMENT_BYTES): ShardStorage {
  return { log: new MemoryLog(segmentBytesMax), snapshots: new MemorySnapshots() };
}

class MemoryLog implements ShardLog {
  readonly #segmentBytesMax: number;
  #segments: MemorySegment[] = [{ firstSeq: 1, entries: [], bytes: 0 }];
  #tail: EntrySeq = 0;
  /** Conflicts that their callers have not seen yet. */
  #freshConflicts = 0;
  #closed = false;

  constructor(segmentBytesMax: number) {
    this.#segmentBytesMax = segmentBytesMax;
  }

  async append(payload: Uint8Array, expected: EntrySeq, stamp: EntryStamp): Promise<AppendResult> {
    assert(payload.length <= PAYLOAD_BYTES_MAX, () => `an entry of ${payload.length} bytes is over the bound`);
    this.#assertOpen();
    if (expected !== this.#tail || this.#freshConflicts > 0) return this.#conflict();
    this.#tail += 1;
    let segment = this.#segments.at(-1) as MemorySegment;
    if (segment.entries.length > 0 && segment.bytes + payload.length > this.#segmentBytesMax) {
      segment = { firstSeq: this.#tail, entries: [], bytes: 0 };
      this.#segments.push(segment);
    }
    const { epoch, ownerTimeMs, factCount } = stamp;
    segment.entries.push({ epoch, ownerTimeMs, factCount, seq: this.#tail, payload: Uint8Array.from(payload) });
    segment.bytes += payload.length;
    return { is: "ok", seq: this.#tail };
  }

  read(from: EntrySeq): AsyncIterable<Entry> {
    this.#assertOpen();
    return this.#read([...this.#segments], from, this.#tail);
  }

  async *#read(segments: MemorySegment[], from: EntrySeq, to: EntrySeq): AsyncGenerator<Entry> {
    for (const { firstSeq, entries } of segments) {
      const last = Math.min(entries.length, to - firstSeq + 1);
      for (let index = Math.max(0, from - firstSeq); index < last; index++) {
        this.#assertOpen();
        yield entries[index] as Entry;
      }
    }
  }

  async readEntry(seq: EntrySeq): Promise<Entry> {
    this.#assertOpen();
    const segment = this.#segments.findLast((candidate) => candidate.firstSeq <= seq);
    const entry = segment?.entries[seq - segment.firstSeq];
    if (entry === undefined) throw new Fault("LogDamaged", `Entry ${seq} is not in the log.`);
    return { ...entry, payload: Uint8Array.from(entry.payload) };
  }

  tail(): EntrySeq {
    return this.#tail;
  }

  head(): EntrySeq {
    return (this.#segments[0] as MemorySegment).firstSeq;
  }

  segments(): SegmentInfo[] {
    return this.#segments.map(({ firstSeq, entries, bytes }, index) => ({
      firstSeq,
      lastSeq: firstSeq + entries.length - 1,
      bytes,
      sealed: index < this.#segments.length - 1,
    }));
  }

  async trim(upTo: EntrySeq, mayDelete: (segment: SegmentInfo) => boolean): Promise<void> {
    this.#assertOpen();
    const infos = this.segments();
    this.#segments = this.#segments.filter((_, index) => {
      const info = infos[index] as SegmentInfo;
      return !info.sealed || info.lastSeq > upTo || !mayDelete(info);
    });
  }

  room(): LogRoom {
    return { bytesReady: Number.POSITIVE_INFINITY, diskFull: false };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #conflict(): Promise<AppendResult> {
    this.#freshConflicts += 1;
    await Promise.resolve();
    this.#freshConflicts -= 1;
    return { is: "conflict", tail: this.#tail };
  }

  #assertOpen(): void {
    if (this.#closed) throw new Fault("ShardStopped", "The log is closed.");
  }
}

class MemorySnapshots implements SnapshotStore {
  #kept: { ref: SnapshotRef; chunks: Uint8Array[] }[] = [];

  async put(seq: EntrySeq, given: Chunks): Promise<SnapshotRef> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of given) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
    const ref = { seq, bytes };
    const others = this.#kept.filter((kept) => kept.ref.seq !== seq);
    this.#kept = [{ ref, chunks }, ...others].sort((a, b) => b.ref.seq - a.ref.seq).slice(0, 2);
    return ref;
  }

  async list(): Promise<SnapshotRef[]> {
    return this.#kept.map((kept) => kept.ref);
  }

  async get(ref: SnapshotRef): Promise<Uint8Array> {
    const found = this.#kept.find((kept) => kept.ref.seq === ref.seq);
    if (found === undefined) throw new Fault("LogDamaged", `Snapshot ${ref.seq} is not there.`);
    return Buffer.concat(found.chunks);
  }
}
