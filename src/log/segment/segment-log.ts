// The embedded log: segment files in one folder. Appends that arrive while a write is being synced go out together as
// the next one: one write, one sync, however many they are.
//
// Modes: open -> broken (a write or sync failed: what is on disk is unknown, the owner must open the log again) or
// closed. Entries are acknowledged in order, and only after the sync that covers them.

import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import type { Disk } from "../disk.ts";
import type { AppendResult, Entry, EntrySeq, EntryStamp, LogRoom, SegmentInfo, ShardLog } from "../log.ts";
import {
  CHAIN_START,
  type Chain,
  ENTRIES_OFFSET,
  ENTRY_BYTES_MAX,
  encodeEntryHeader,
  encodeSeal,
  encodeSegmentHeader,
  entryBytes,
  nextChain,
  SEGMENT_HEADER_BYTES,
  segmentFileName,
} from "./format.ts";
import { recoverSegments } from "./recovery.ts";
import { type FilledFile, Room } from "./room.ts";
import { SegmentFile } from "./segment-file.ts";

export interface SegmentLogOptions {
  disk: Disk;
  /** Holds this shard's files and nothing else. */
  folder: string;
  shard: number;
  /** Tells this process's entries apart from another's; any 32-bit number. */
  writerId: number;
  /** "os" answers after the write and leaves syncing to the operating system. */
  durability: "fsync" | "os";
  segmentBytesMax: number;
}

/** Bytes of one write: bounds what a torn write can leave behind (recovery.ts zeroes twice an entry's bound). */
const GROUP_BYTES_MAX = ENTRY_BYTES_MAX;
const PADDING = Buffer.alloc(8);

interface PendingAppend {
  payload: Uint8Array;
  seq: EntrySeq;
  stamp: EntryStamp;
  resolve: (result: AppendResult) => void;
  reject: (error: unknown) => void;
}

export async function openSegmentLog(options: SegmentLogOptions): Promise<ShardLog> {
  const { disk, folder, shard } = options;
  assert(options.segmentBytesMax < 2 ** 32, "positions in a segment have 32 bits");
  const segmentBytes = Math.max(options.segmentBytesMax, 2 * ENTRY_BYTES_MAX);
  await disk.makeFolder(folder);
  const recovered = await recoverSegments(disk, folder, shard, true);
  const room = new Room(disk, folder, segmentBytes);
  if (recovered !== undefined) await room.adopt(recovered.sparePaths);
  const log = new SegmentLog(options, segmentBytes, room, recovered?.segments ?? [], recovered?.chain ?? CHAIN_START);
  await log.start();
  return log;
}

class SegmentLog implements ShardLog {
  readonly #options: SegmentLogOptions;
  readonly #segmentBytes: number;
  readonly #room: Room;
  #segments: SegmentFile[];
  /** The file behind the newest segment. */
  #current: FilledFile | undefined;
  /** The chain after the last entry that was handed to the disk. */
  #chain: Chain;
  /** The last entry that was accepted for writing, and the last that is durable. */
  #acceptedSeq: EntrySeq;
  #durableSeq: EntrySeq;
  #queue: PendingAppend[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  constructor(options: SegmentLogOptions, segmentBytes: number, room: Room, segments: SegmentFile[], chain: Chain) {
    this.#options = options;
    this.#segmentBytes = segmentBytes;
    this.#room = room;
    this.#segments = segments;
    this.#chain = chain;
    this.#acceptedSeq = segments.at(-1)?.lastSeq ?? 0;
    this.#durableSeq = this.#acceptedSeq;
  }

  async start(): Promise<void> {
    const last = this.#segments.at(-1);
    if (last === undefined) {
      await this.#beginSegment();
      return;
    }
    this.#current = { path: last.path, file: last.file, filled: await last.file.size() };
    this.#room.keepAhead(this.#current, last.end);
  }

  append(payload: Uint8Array, expected: EntrySeq, stamp: EntryStamp): Promise<AppendResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (expected !== this.#acceptedSeq) return Promise.resolve({ is: "conflict", tail: this.#acceptedSeq });
    this.#acceptedSeq += 1;
    const seq = this.#acceptedSeq;
    return new Promise((resolve, reject) => {
      this.#queue.push({ payload, seq, stamp, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async *read(from: EntrySeq): AsyncIterable<Entry> {
    const to = this.#durableSeq;
    for (const segment of [...this.#segments]) {
      if (segment.lastSeq < from) continue;
      for await (const entry of segment.read(from)) {
        if (entry.seq > to) return;
        yield entry;
      }
    }
  }

  async readEntry(seq: EntrySeq): Promise<Entry> {
    const segment = this.#segments.findLast((candidate) => candidate.firstSeq <= seq);
    if (segment === undefined || seq > segment.lastSeq) {
      throw new Fault("LogDamaged", `Entry ${seq} of shard ${this.#options.shard} is not in ${this.#options.folder}.`);
    }
    return segment.readEntry(seq);
  }

  tail(): EntrySeq {
    return this.#durableSeq;
  }

  head(): EntrySeq {
    return this.#segments[0]?.firstSeq ?? 1;
  }

  segments(): SegmentInfo[] {
    return this.#segments.map((segment) => segment.info);
  }

  async trim(upTo: EntrySeq, mayDelete: (segment: SegmentInfo) => boolean): Promise<void> {
    const goes = (segment: SegmentFile) => segment.sealed && segment.lastSeq <= upTo && mayDelete(segment.info);
    const going = this.#segments.filter(goes);
    this.#segments = this.#segments.filter((segment) => !going.includes(segment));
    for (const segment of going) await this.#room.give(segment.path, segment.file);
    if (going.length > 0) await this.#options.disk.syncFolder(this.#options.folder);
  }

  room(): LogRoom {
    const { current, last } = this.#newest();
    if (this.#room.diskFull) this.#room.keepAhead(current, last.end);
    return {
      bytesReady: Math.max(0, current.filled - last.end) + this.#room.spareBytes,
      diskFull: this.#room.diskFull,
    };
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#failure ??= new Fault("ShardStopped", "The log is closed.");
    await this.#room.close();
    for (const segment of this.#segments) await segment.file.close();
    this.#segments = [];
  }

  async #writeAll(): Promise<void> {
    // Appends of one turn go out together.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0) {
        const group = this.#takeGroup();
        if (group.length === 0) await this.#roll();
        else await this.#write(group);
      }
    } catch (error) {
      this.#break(error);
    }
    this.#writing = undefined;
  }

  /** The appends at the front of the queue that fit into the newest segment and into one write. */
  #takeGroup(): PendingAppend[] {
    let bytes = 0;
    let count = 0;
    const { last } = this.#newest();
    for (const { payload } of this.#queue) {
      bytes += entryBytes(payload.length);
      const fits = last.end + bytes <= this.#segmentBytes && (bytes <= GROUP_BYTES_MAX || count === 0);
      if (!fits) break;
      count += 1;
    }
    return count === this.#queue.length ? this.#queue.splice(0) : this.#queue.splice(0, count);
  }

  async #write(group: PendingAppend[]): Promise<void> {
    const { current, last } = this.#newest();
    const { shard, writerId, durability } = this.#options;
    const parts: Uint8Array[] = [];
    const start = last.end;
    let end = start;
    this.#written = group;
    for (const { payload, seq, stamp } of group) {
      const header = encodeEntryHeader(
        { ...stamp, seq, durableSeq: this.#durableSeq, chain: this.#chain, shard, writerId },
        payload,
      );
      this.#chain = nextChain(this.#chain, header.readUInt32LE(4));
      last.note(seq, end);
      end += entryBytes(payload.length);
      parts.push(header, payload);
      if (payload.length % 8 !== 0) parts.push(PADDING.subarray(payload.length % 8));
    }
    await current.file.write(parts, start);
    if (durability === "fsync") await current.file.datasync();
    last.end = end;
    current.filled = Math.max(current.filled, end);
    this.#room.keepAhead(current, end);
    this.#written = [];
    for (const { seq, resolve } of group) {
      last.lastSeq = seq;
      this.#durableSeq = seq;
      resolve({ is: "ok", seq });
    }
  }

  /** Handed to the disk, not yet acknowledged. */
  #written: PendingAppend[] = [];

  /** The newest segment is full: it is sealed, and the next one begins. */
  async #roll(): Promise<void> {
    const { current, last } = this.#newest();
    const seal = encodeSeal({ lastSeq: last.lastSeq, end: last.end, chain: this.#chain });
    await current.file.write([seal], SEGMENT_HEADER_BYTES);
    // With "os" durability the segment was never synced; it must be before recovery trusts it.
    await current.file.datasync();
    last.sealed = true;
    await this.#beginSegment();
  }

  async #beginSegment(): Promise<void> {
    const { disk, folder, shard } = this.#options;
    const firstSeq = this.#durableSeq + 1;
    const taken = await this.#room.take();
    await taken.file.write([encodeSegmentHeader({ shard, firstSeq, chain: this.#chain })], 0);
    await taken.file.datasync();
    const path = `${folder}/${segmentFileName(firstSeq)}`;
    await disk.rename(taken.path, path);
    await disk.syncFolder(folder);
    this.#current = { path, file: taken.file, filled: taken.filled };
    this.#segments.push(new SegmentFile(path, taken.file, shard, firstSeq, this.#chain));
    this.#room.keepAhead(this.#current, ENTRIES_OFFSET);
  }

  #newest(): { current: FilledFile; last: SegmentFile } {
    const last = this.#segments.at(-1);
    if (this.#current === undefined || last === undefined) throw this.#failure ?? new Fault("ShardStopped", "The log is closed.");
    return { current: this.#current, last };
  }

  #break(error: unknown): void {
    this.#failure = error;
    for (const { reject } of [...this.#written, ...this.#queue]) reject(error);
    this.#written = [];
    this.#queue = [];
  }
}
