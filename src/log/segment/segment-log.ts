// The embedded log: segment files in one folder. Appends that arrive while a write is being synced go out together as
// the next one: one write, one sync, however many they are.
//
// Modes: open -> broken (a write or sync failed: what is on disk is unknown, the owner must close the log and open it
// again) -> closed; open -> closed. Entries are acknowledged in order, and only after the sync that covers them; with
// "os" durability after the write, and then `acknowledgedSeq` runs ahead of `syncedSeq`.

import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import type { Disk } from "../disk.ts";
import {
  type AppendResult,
  type Entry,
  type EntrySeq,
  type EntryStamp,
  type LogRoom,
  PAYLOAD_BYTES_MAX,
  type SegmentInfo,
  type ShardLog,
} from "../log.ts";
import { EntryWriter, type NewEntry } from "./entry-writer.ts";
import {
  type Chain,
  ENTRIES_OFFSET,
  ENTRY_BYTES_MAX,
  encodeSegmentHeader,
  entryBytes,
  newMark,
  type SegmentHeader,
  segmentFileName,
} from "./format.ts";
import { type RecoveredSegments, recoverSegments, writeSeal } from "./recovery.ts";
import { type FilledFile, Room } from "./room.ts";
import { SegmentFile } from "./segment-file.ts";

export interface SegmentLogOptions {
  disk: Disk;
  /** Holds this shard's files and nothing else. It is there, and durably so. */
  folder: string;
  shard: number;
  /** Tells the entries of one opening of a log from those of all others: a random 32-bit number, new each time. */
  writerId: number;
  /** "os" answers after the write and leaves syncing to the operating system. */
  durability: "fsync" | "os";
  /** A larger entry has a segment of its own. */
  segmentBytesMax: number;
  /** The last entry that is known from elsewhere to have been synced: what a snapshot covers. 0 for none. */
  storedSeq: EntrySeq;
}

/** What the log of a folder can do beyond a ShardLog. */
export interface SegmentShardLog extends ShardLog {
  /** Everything acknowledged so far survives a power cut once this resolves, whatever the log was opened with. */
  sync(): Promise<void>;
}

/** Bytes of one write: also what a torn write can leave behind. */
const GROUP_BYTES_MAX = ENTRY_BYTES_MAX;

interface PendingAppend extends NewEntry {
  resolve: (result: AppendResult) => void;
  reject: (error: unknown) => void;
}

export async function openSegmentLog(options: SegmentLogOptions): Promise<SegmentShardLog> {
  const { disk, folder, shard, segmentBytesMax } = options;
  assert(segmentBytesMax > ENTRIES_OFFSET && segmentBytesMax <= 2 ** 31, "positions in a segment have 32 bits");
  const recovered = await recoverSegments(disk, folder, shard, options.storedSeq);
  const log = new SegmentLog(options, recovered);
  try {
    await log.start(recovered.sparePaths);
    return log;
  } catch (error) {
    await log.close().catch(() => undefined);
    throw error;
  }
}

class SegmentLog implements SegmentShardLog {
  readonly #options: SegmentLogOptions;
  readonly #room: Room;
  readonly #writer = new EntryWriter();
  /** Oldest first; the last one is open. */
  #segments: SegmentFile[];
  /** Trimmed, but still being read. */
  readonly #leaving = new Set<SegmentFile>();
  /** The file behind the newest segment. */
  #current: FilledFile | undefined;
  /** The chain after the last entry that was handed to the disk. */
  #chain: Chain;
  #acceptedSeq: EntrySeq;
  #acknowledgedSeq: EntrySeq;
  #syncedSeq: EntrySeq;
  #queue: PendingAppend[] = [];
  /** Handed to the disk, not yet acknowledged. */
  #written: PendingAppend[] = [];
  #syncWaits: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  #writing: Promise<void> | undefined;
  #trimming: Promise<void> = Promise.resolve();
  /** Conflicts that their callers have not seen yet. */
  #freshConflicts = 0;
  #failure: unknown;
  #closing: Promise<void> | undefined;

  constructor(options: SegmentLogOptions, { segments, chain }: RecoveredSegments) {
    this.#options = options;
    this.#room = new Room(options.disk, options.folder, options.segmentBytesMax);
    this.#segments = segments;
    this.#chain = chain;
    this.#acceptedSeq = segments.at(-1)?.lastSeq ?? 0;
    this.#acknowledgedSeq = this.#acceptedSeq;
    this.#syncedSeq = this.#acceptedSeq;
  }

  async start(sparePaths: string[]): Promise<void> {
    await this.#room.adopt(sparePaths);
    const last = this.#segments.at(-1);
    if (last === undefined) {
      await this.#beginSegment();
      return;
    }
    this.#current = { path: last.path, file: last.file, filled: await last.file.size() };
    this.#room.keepAhead(this.#current, last.end);
  }

  append(payload: Uint8Array, expected: EntrySeq, stamp: EntryStamp): Promise<AppendResult> {
    assert(payload.length <= PAYLOAD_BYTES_MAX, () => `an entry of ${payload.length} bytes is over the bound`);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (expected !== this.#acceptedSeq || this.#freshConflicts > 0) return this.#conflict();
    this.#acceptedSeq += 1;
    const seq = this.#acceptedSeq;
    return new Promise((resolve, reject) => {
      this.#queue.push({ payload, seq, stamp, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  read(from: EntrySeq): AsyncIterable<Entry> {
    this.#assertReadable();
    return this.#read([...this.#segments], from, this.#acknowledgedSeq);
  }

  async *#read(segments: SegmentFile[], from: EntrySeq, to: EntrySeq): AsyncGenerator<Entry> {
    for (const segment of segments) {
      if (segment.lastSeq < from || segment.firstSeq > to) continue;
      // Trimmed since the call: its file may be another segment by now.
      if (!this.#segments.includes(segment)) {
        this.#assertReadable();
        continue;
      }
      for await (const entry of segment.read(from)) {
        if (entry.seq > to) return;
        yield entry;
      }
    }
  }

  async readEntry(seq: EntrySeq): Promise<Entry> {
    this.#assertReadable();
    const segment = this.#segments.findLast((candidate) => candidate.firstSeq <= seq);
    if (segment === undefined || seq > segment.lastSeq) {
      throw new Fault("LogDamaged", `Entry ${seq} of shard ${this.#options.shard} is not in ${this.#options.folder}.`);
    }
    return segment.readEntry(seq);
  }

  tail(): EntrySeq {
    return this.#acknowledgedSeq;
  }

  head(): EntrySeq {
    return this.#segments[0]?.firstSeq ?? 1;
  }

  segments(): SegmentInfo[] {
    return this.#segments.map((segment) => segment.info);
  }

  trim(upTo: EntrySeq, mayDelete: (segment: SegmentInfo) => boolean): Promise<void> {
    const trimmed = this.#trimming.then(() => this.#trim(upTo, mayDelete));
    this.#trimming = trimmed.catch(() => undefined);
    return trimmed;
  }

  room(): LogRoom {
    const { current, last } = this.#newest();
    if (this.#room.diskFull) this.#room.keepAhead(current, last.end);
    // Of the two the larger, not the sum: an entry that does not fit into what is left of the segment leaves it unused.
    const bytesReady = Math.max(0, current.filled - last.end, this.#room.spareBytes - ENTRIES_OFFSET);
    return { bytesReady, diskFull: this.#room.diskFull };
  }

  async sync(): Promise<void> {
    if (this.#acknowledgedSeq <= this.#syncedSeq) return;
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#syncWaits.push({ resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writing;
    const wasWhole = this.#failure === undefined;
    this.#failure ??= closedFault();
    await this.#trimming;
    await this.#room.close();
    try {
      if (wasWhole) await this.#seal();
    } finally {
      const files = [...this.#segments, ...this.#leaving].map((segment) => segment.file);
      this.#segments = [];
      for (const file of files) await file.close();
    }
  }

  #conflict(): Promise<AppendResult> {
    // What is issued before the caller can know of the conflict must fail too, even if its position happens to fit.
    this.#freshConflicts += 1;
    return Promise.resolve().then(() => {
      this.#freshConflicts -= 1;
      return { is: "conflict", tail: this.#acceptedSeq };
    });
  }

  async #writeAll(): Promise<void> {
    // Appends of one turn go out together.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0 || this.#syncWaits.length > 0) {
        if (this.#syncWaits.length > 0) await this.#syncNow();
        const group = this.#takeGroup();
        if (group.length > 0) await this.#write(group);
        else if (this.#queue.length > 0) await this.#roll();
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
    const isEmpty = last.end === ENTRIES_OFFSET;
    for (const { payload } of this.#queue) {
      bytes += entryBytes(payload.length);
      const fits = last.end + bytes <= this.#options.segmentBytesMax || (isEmpty && count === 0);
      if (!fits || (bytes > GROUP_BYTES_MAX && count > 0)) break;
      count += 1;
    }
    return count === this.#queue.length ? this.#queue.splice(0) : this.#queue.splice(0, count);
  }

  async #write(group: PendingAppend[]): Promise<void> {
    const { current, last } = this.#newest();
    const { writerId, durability } = this.#options;
    const start = last.end;
    this.#written = group;
    const { parts, chain } = this.#writer.encode(group, last.header, writerId, this.#syncedSeq, this.#chain);
    let end = start;
    for (const { payload, seq } of group) {
      last.note(seq, end);
      end += entryBytes(payload.length);
    }
    const claimed = this.#room.claim(current, end);
    if (claimed !== undefined) await claimed;
    await current.file.write(parts, start);
    if (durability === "fsync") await current.file.datasync();
    this.#chain = chain;
    this.#written = [];
    last.end = end;
    last.lastSeq = (group.at(-1) as PendingAppend).seq;
    this.#acknowledgedSeq = last.lastSeq;
    if (durability === "fsync") this.#syncedSeq = last.lastSeq;
    for (const { seq, resolve } of group) resolve({ is: "ok", seq });
    this.#room.keepAhead(current, end);
  }

  /**
   * Never beside another sync of the same file: of two, the system tells only one that it failed, and what the other
   * then vouched for would be lost. What is not in the newest segment was synced when that one began.
   */
  async #syncNow(): Promise<void> {
    const { last } = this.#newest();
    await last.file.datasync();
    this.#syncedSeq = this.#acknowledgedSeq;
    for (const { resolve } of this.#syncWaits) resolve();
    this.#syncWaits = [];
  }

  /** The newest segment is full: it is sealed, and the next one begins. */
  async #roll(): Promise<void> {
    await this.#seal();
    this.#newest().last.sealed = true;
    await this.#beginSegment();
  }

  async #seal(): Promise<void> {
    const { last } = this.#newest();
    // The seal vouches for the entries, so they are synced before it is written.
    if (this.#syncedSeq < this.#acknowledgedSeq) await last.file.datasync();
    this.#syncedSeq = this.#acknowledgedSeq;
    await writeSeal(last, this.#chain);
  }

  async #beginSegment(): Promise<void> {
    const { disk, folder, shard, writerId } = this.#options;
    const firstSeq = this.#acknowledgedSeq + 1;
    const mark = newMark(this.#chain, firstSeq, writerId);
    const header: SegmentHeader = { shard, firstSeq, chain: this.#chain, mark };
    const path = `${folder}/${segmentFileName(firstSeq)}`;
    const taken = await this.#room.take();
    try {
      await taken.file.write([encodeSegmentHeader(header)], 0);
      await taken.file.datasync();
      await disk.rename(taken.path, path);
      await disk.syncFolder(folder);
    } catch (error) {
      await taken.file.close().catch(() => undefined);
      throw error;
    }
    this.#current = { path, file: taken.file, filled: taken.filled };
    this.#segments.push(new SegmentFile(path, taken.file, header));
    this.#room.keepAhead(this.#current, ENTRIES_OFFSET);
  }

  async #trim(upTo: EntrySeq, mayDelete: (segment: SegmentInfo) => boolean): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    // What made the segments superfluous, such as messages appended again, must not be lost while they go.
    await this.sync();
    // The last entry stays whatever happens: the next owner reads the epoch from it.
    const lastSeqMax = Math.min(upTo, this.#acknowledgedSeq - 1);
    const going = this.#segments.filter(
      (segment) => segment.sealed && segment.lastSeq <= lastSeqMax && mayDelete(segment.info),
    );
    if (going.length === 0) return;
    const gone = new Set(going);
    this.#segments = this.#segments.filter((segment) => !gone.has(segment));
    for (const segment of going) {
      this.#leaving.add(segment);
      await segment.whenUnread(() => this.#giveBack(segment));
    }
    await this.#options.disk.syncFolder(this.#options.folder);
  }

  async #giveBack(segment: SegmentFile): Promise<void> {
    this.#leaving.delete(segment);
    await this.#room.give(segment.path, segment.file);
  }

  #newest(): { current: FilledFile; last: SegmentFile } {
    const last = this.#segments.at(-1);
    if (this.#current === undefined || last === undefined) throw this.#failure ?? closedFault();
    return { current: this.#current, last };
  }

  #assertReadable(): void {
    if (this.#closing !== undefined) throw closedFault();
  }

  #break(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of [...this.#written, ...this.#queue, ...this.#syncWaits]) reject(this.#failure);
    this.#written = [];
    this.#syncWaits = [];
    this.#queue = [];
  }
}

function closedFault(): Fault {
  return new Fault("ShardStopped", "The log is closed.");
}
