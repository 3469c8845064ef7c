// A log in memory: for --memory and for tests of what stands on a log. Keeps nothing when the process ends. It has
// segments like the real one, so that cleaning and trimming work, and memory does not grow for ever.

import type { AppendResult, Entry, EntrySeq, EntryStamp, SegmentInfo, ShardLog, ShardStorage, SnapshotRef } from "./log.ts";
import { Fault } from "../base/fault.ts";

const SEGMENT_BYTES = 16 * 1024 * 1024;

interface MemorySegment {
  firstSeq: EntrySeq;
  entries: Entry[];
  bytes: number;
}

export function openMemoryStorage(): ShardStorage {
  return { log: new MemoryLog(), snapshots: new MemorySnapshots() };
}

class MemoryLog implements ShardLog {
  #segments: MemorySegment[] = [{ firstSeq: 1, entries: [], bytes: 0 }];
  #tail: EntrySeq = 0;
  #closed = false;

  append(payload: Uint8Array, expected: EntrySeq, stamp: EntryStamp): Promise<AppendResult> {
    if (this.#closed) return Promise.reject(new Fault("ShardStopped", "The log is closed."));
    if (expected !== this.#tail) return Promise.resolve({ is: "conflict", tail: this.#tail });
    this.#tail += 1;
    let segment = this.#segments.at(-1) as MemorySegment;
    if (segment.bytes >= SEGMENT_BYTES) {
      segment = { firstSeq: this.#tail, entries: [], bytes: 0 };
      this.#segments.push(segment);
    }
    segment.entries.push({ ...stamp, seq: this.#tail, payload: Uint8Array.from(payload) });
    segment.bytes += payload.length;
    return Promise.resolve({ is: "ok", seq: this.#tail });
  }

  async *read(from: EntrySeq): AsyncIterable<Entry> {
    const to = this.#tail;
    for (const segment of [...this.#segments]) {
      for (const entry of segment.entries) if (entry.seq >= from && entry.seq <= to) yield entry;
    }
  }

  async readEntry(seq: EntrySeq): Promise<Entry> {
    const segment = this.#segments.findLast((candidate) => candidate.firstSeq <= seq);
    const entry = segment?.entries[seq - segment.firstSeq];
    if (entry === undefined) throw new Fault("LogDamaged", `Entry ${seq} is not in the log.`);
    return entry;
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
    const infos = this.segments();
    this.#segments = this.#segments.filter((_, index) => {
      const info = infos[index] as SegmentInfo;
      return !info.sealed || info.lastSeq > upTo || !mayDelete(info);
    });
  }

  room(): { bytesReady: number; diskFull: boolean } {
    return { bytesReady: Number.POSITIVE_INFINITY, diskFull: false };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

class MemorySnapshots {
  #kept: { ref: SnapshotRef; bytes: Uint8Array }[] = [];

  async put(seq: EntrySeq, chunks: Iterable<Uint8Array>): Promise<SnapshotRef> {
    const bytes = Buffer.concat([...chunks]);
    const ref = { seq, bytes: bytes.length };
    this.#kept = [{ ref, bytes }, ...this.#kept.filter((kept) => kept.ref.seq !== seq)].slice(0, 2);
    return ref;
  }

  async list(): Promise<SnapshotRef[]> {
    return this.#kept.map((kept) => kept.ref);
  }

  async get(ref: SnapshotRef): Promise<Uint8Array> {
    const found = this.#kept.find((kept) => kept.ref.seq === ref.seq);
    if (found === undefined) throw new Fault("LogDamaged", `Snapshot ${ref.seq} is not there.`);
    return found.bytes;
  }
}
