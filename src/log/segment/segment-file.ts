// One segment file as the log holds it: its place in the sequence, where each of its entries begins, and reading one
// of them. Positions are kept as they are written or walked over; a sealed segment that nobody has walked over yet is
// walked on first use.

import { Fault } from "../../base/fault.ts";
import type { DiskFile } from "../disk.ts";
import type { Entry, EntrySeq, SegmentInfo } from "../log.ts";
import {
  type Chain,
  decodeEntryHeader,
  ENTRIES_OFFSET,
  ENTRY_HEADER_BYTES,
  hasSoundBytes,
} from "./format.ts";
import { SegmentScan, toEntry } from "./reader.ts";

const POSITIONS_MIN = 1024;

export class SegmentFile {
  readonly path: string;
  readonly file: DiskFile;
  readonly shard: number;
  readonly firstSeq: EntrySeq;
  /** The chain before the first entry. */
  readonly firstChain: Chain;
  lastSeq: EntrySeq;
  /** First byte behind the last entry. */
  end = ENTRIES_OFFSET;
  sealed = false;
  #positions = new Uint32Array(POSITIONS_MIN);
  /** How many entries' positions are known, from the first on. */
  #positionCount = 0;
  #walking: Promise<void> | undefined;

  constructor(path: string, file: DiskFile, shard: number, firstSeq: EntrySeq, firstChain: Chain) {
    this.path = path;
    this.file = file;
    this.shard = shard;
    this.firstSeq = firstSeq;
    this.firstChain = firstChain;
    this.lastSeq = firstSeq - 1;
  }

  get info(): SegmentInfo {
    const { firstSeq, lastSeq, sealed } = this;
    return { firstSeq, lastSeq, sealed, bytes: this.end - ENTRIES_OFFSET };
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

  /** All entries from `from` up to `lastSeq` as it is now, each verified. */
  async *read(from: EntrySeq): AsyncGenerator<Entry> {
    const { lastSeq } = this;
    const scan = new SegmentScan(this.file, this.shard, this.#scanStart(), this.end);
    if (from > lastSeq) return;
    for await (const scanned of scan.entries()) {
      this.note(scanned.header.seq, scanned.position);
      if (scanned.header.seq >= from) yield toEntry(scanned);
      if (scanned.header.seq === lastSeq) return;
    }
    throw this.damaged(scan.place.position, `entry ${scan.place.seq} is not what was written`);
  }

  async readEntry(seq: EntrySeq): Promise<Entry> {
    const index = seq - this.firstSeq;
    if (index >= this.#positionCount) await this.#walk();
    const position = this.#positions[index] as number;
    const end = index + 1 < this.#positionCount ? (this.#positions[index + 1] as number) : this.end;
    const bytes = Buffer.allocUnsafe(end - position);
    const read = await this.file.read(bytes, position);
    const header = read === bytes.length ? decodeEntryHeader(bytes, 0) : undefined;
    if (header === undefined || header.seq !== seq || !hasSoundBytes(bytes, 0, header)) {
      throw this.damaged(position, `entry ${seq} is not what was written`);
    }
    const payload = bytes.subarray(ENTRY_HEADER_BYTES, ENTRY_HEADER_BYTES + header.payloadBytes);
    return toEntry({ header, position, payload });
  }

  damaged(position: number, reason: string): Fault {
    return new Fault(
      "LogDamaged",
      `${this.path} is damaged at byte ${position}: ${reason}. Nothing was changed. Restore this data folder from a backup, or move it away to start empty.`,
    );
  }

  #scanStart(): { position: number; seq: EntrySeq; chain: Chain } {
    return { position: ENTRIES_OFFSET, seq: this.firstSeq, chain: this.firstChain };
  }

  /** One walk serves all who wait for positions. */
  #walk(): Promise<void> {
    this.#walking ??= (async () => {
      for await (const _ of this.read(this.firstSeq)) continue;
    })().finally(() => {
      this.#walking = undefined;
    });
    return this.#walking;
  }
}
