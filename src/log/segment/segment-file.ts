// One segment file as the log holds it: its place in the sequence, where each of its entries begins, and reading them.
// Positions are kept as they are written or walked over; a sealed segment that nobody has walked over yet is walked on
// first use. A file that somebody reads is not given away before they are done.

import { Fault } from "../../base/fault.ts";
import type { DiskFile } from "../disk.ts";
import type { Entry, EntrySeq, SegmentInfo } from "../log.ts";
import { decodeEntryHeader, ENTRIES_OFFSET, ENTRY_HEADER_BYTES, hasSoundBytes, type SegmentHeader } from "./format.ts";
import { type ScanPlace, SegmentScan, toEntry } from "./reader.ts";

const POSITIONS_MIN = 256;

export class SegmentFile {
  readonly path: string;
  readonly file: DiskFile;
  readonly header: SegmentHeader;
  lastSeq: EntrySeq;
  /** First byte behind the last entry. */
  end = ENTRIES_OFFSET;
  sealed = false;
  #positions = new Uint32Array(POSITIONS_MIN);
  /** How many entries' positions are known, from the first on. */
  #positionCount = 0;
  #walking: Promise<void> | undefined;
  #readerCount = 0;
  #whenUnread: (() => void) | undefined;

  constructor(path: string, file: DiskFile, header: SegmentHeader) {
    this.path = path;
    this.file = file;
    this.header = header;
    this.lastSeq = header.firstSeq - 1;
  }

  get firstSeq(): EntrySeq {
    return this.header.firstSeq;
  }

  get info(): SegmentInfo {
    const { firstSeq, lastSeq, sealed } = this;
    return { firstSeq, lastSeq, sealed, bytes: this.end - ENTRIES_OFFSET };
  }

  /** The place of the first entry. */
  get start(): ScanPlace {
    const { firstSeq, chain } = this.header;
    return { position: ENTRIES_OFFSET, seq: firstSeq, chain };
  }

  /** Entries are noted in order, as they are written or walked over; noting one again changes nothing. */
  note(seq: EntrySeq, position: number): void {
    const index = seq - this.firstSeq;
    if (index !== this.#positionCount) return;
    if (index === this.#positions.length) {
      const grown = new Uint32Array(this.#positions.length * 2);
      grown.set(this.#positions);
      this.#positions = grown;
    }
    this.#positions[index] = position;
    this.#positionCount += 1;
  }

  /** Where an entry begins, if it was noted. */
  positionOf(seq: EntrySeq): number | undefined {
    const index = seq - this.firstSeq;
    return index >= 0 && index < this.#positionCount ? this.#positions[index] : undefined;
  }

  /** All entries from `from` up to `lastSeq` as it is now, each verified. */
  async *read(from: EntrySeq): AsyncGenerator<Entry> {
    const { lastSeq } = this;
    if (from > lastSeq) return;
    this.#readerCount += 1;
    try {
      const scan = new SegmentScan(this.file, this.header, this.start, this.end);
      for await (const scanned of scan.entries()) {
        this.note(scanned.header.seq, scanned.position);
        if (scanned.header.seq >= from) yield toEntry(scanned);
        if (scanned.header.seq === lastSeq) return;
      }
      throw this.damaged(scan.place.position, `entry ${scan.place.seq} is not what was written`);
    } finally {
      this.#endReading();
    }
  }

  async readEntry(seq: EntrySeq): Promise<Entry> {
    this.#readerCount += 1;
    try {
      if (this.positionOf(seq) === undefined) await this.#walk();
      return await this.#readAt(seq, this.positionOf(seq) as number);
    } finally {
      this.#endReading();
    }
  }

  /** Runs `then` at once when nobody reads, else when the last reader is done. Answers what `then` answers, or nothing. */
  whenUnread(then: () => Promise<void>): Promise<void> | undefined {
    if (this.#readerCount === 0) return then();
    this.#whenUnread = () => void then().catch(() => undefined);
    return undefined;
  }

  damaged(position: number, reason: string): Fault {
    return new Fault(
      "LogDamaged",
      `${this.path} is damaged at byte ${position}: ${reason}. Nothing was changed. Restore this data folder from a backup, or move it away to start empty.`,
    );
  }

  async #readAt(seq: EntrySeq, position: number): Promise<Entry> {
    const end = this.positionOf(seq + 1) ?? this.end;
    const bytes = Buffer.allocUnsafeSlow(end - position);
    const read = await this.file.read(bytes, position);
    const header = read === bytes.length ? decodeEntryHeader(bytes, 0, this.header.mark) : undefined;
    if (header === undefined || header.seq !== seq || !hasSoundBytes(bytes, 0, header)) {
      throw this.damaged(position, `entry ${seq} is not what was written`);
    }
    const payload = bytes.subarray(ENTRY_HEADER_BYTES, ENTRY_HEADER_BYTES + header.payloadBytes);
    return toEntry({ header, position, payload });
  }

  #endReading(): void {
    this.#readerCount -= 1;
    if (this.#readerCount === 0) this.#whenUnread?.();
  }

  /** One walk serves all who wait for positions. */
  #walk(): Promise<void> {
    this.#walking ??= (async () => {
      for await (const _ of this.read(this.firstSeq));
    })().finally(() => {
      this.#walking = undefined;
    });
    return this.#walking;
  }
}
