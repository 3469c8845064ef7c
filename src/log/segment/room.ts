// Room on the disk, ahead of need: overwriting blocks that exist costs a fraction of growing a file (each growth is a
// change to the file system's journal), and room that is there cannot be refused when an entry must be stored.
// The segment being written is zero-filled some way ahead of the writer; the next one waits whole, as a spare file
// made in the background or recycled from a trimmed segment.
//
// The one danger: filler and writer must never be at the same bytes at the same time, or zeros land on entries. The
// filler works behind `filled`, the writer before it; a writer that needs more claims it first (`claim`).

import { isFault } from "../../base/fault.ts";
import type { Disk, DiskFile } from "../disk.ts";

const MiB = 1024 * 1024;
/** The first zero-fill of a new segment is small, so that a new data folder opens at once. */
const FIRST_FILL_BYTES = MiB;
const FILL_BYTES = 4 * MiB;
/** After a failure, how many calls pass before the next attempt: counted, not timed, so that it can be replayed. */
const CALLS_BETWEEN_ATTEMPTS = 16;

/** Zero-filled, or written, up to `filled`. */
export interface FilledFile {
  path: string;
  file: DiskFile;
  filled: number;
}

export class Room {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #segmentBytes: number;
  #spares: FilledFile[] = [];
  #spareNumber = 0;
  #making: Promise<void> | undefined;
  #filling: Promise<void> | undefined;
  #fillRefused = false;
  #spareRefused = false;
  #callsToSkip = 0;
  #closed = false;

  constructor(disk: Disk, folder: string, segmentBytes: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
  }

  /** Takes over spare files of an earlier run: a whole one is kept, the rest goes. */
  async adopt(paths: string[]): Promise<void> {
    for (const path of paths) {
      this.#spareNumber = Math.max(this.#spareNumber, Number(/(\d+)\.spare$/.exec(path)?.[1] ?? 0));
      const file = await this.#disk.open(path, "write");
      const spare = { path, file, filled: await file.size() };
      if (spare.filled >= this.#segmentBytes && this.#spares.length === 0) this.#spares.push(spare);
      else await this.#discard(spare);
    }
  }

  /** A file to write the next segment into; made on the spot when no spare is ready. The caller closes it. */
  async take(): Promise<FilledFile> {
    await this.#making;
    const spare = this.#spares.pop();
    return spare ?? (await this.#make(Math.min(FIRST_FILL_BYTES, this.#segmentBytes)));
  }

  /** A trimmed segment's file: kept as the spare if there is none, else removed. */
  async give(path: string, file: DiskFile): Promise<void> {
    const given = { path, file, filled: await file.size() };
    const isWanted = this.#spares.length === 0 && this.#making === undefined && given.filled >= this.#segmentBytes;
    if (!isWanted || this.#closed) return this.#discard(given);
    given.path = this.#nextSparePath();
    await this.#disk.rename(path, given.path);
    // The old name must be gone for good before the file becomes another segment: after a power cut it would stand
    // for a segment with the wrong entries.
    await this.#disk.syncFolder(this.#folder);
    if (this.#closed) return given.file.close();
    this.#spares.push(given);
    this.#spareRefused = false;
  }

  /** The disk gave no room at the last attempt. */
  get diskFull(): boolean {
    return this.#fillRefused || this.#spareRefused;
  }

  get spareBytes(): number {
    return this.#spares.reduce((most, spare) => Math.max(most, spare.filled), 0);
  }

  /**
   * Gives the writer the bytes before `end`, filled or not: the filler is out of the way and stays behind them.
   * Undefined when they were the writer's already.
   */
  claim(current: FilledFile, end: number): Promise<void> | undefined {
    return end <= current.filled ? undefined : this.#claim(current, end);
  }

  async #claim(current: FilledFile, end: number): Promise<void> {
    while (this.#filling !== undefined) await this.#filling;
    current.filled = Math.max(current.filled, end);
  }

  /** Called after writes: keeps some room ahead in `current`, and a spare once half of it is used. */
  keepAhead(current: FilledFile, position: number): void {
    if (this.#closed) return;
    if (this.#callsToSkip > 0) {
      this.#callsToSkip -= 1;
      return;
    }
    const wantsFill = current.filled < this.#segmentBytes && current.filled - position < 2 * FILL_BYTES;
    if (wantsFill && this.#filling === undefined) {
      this.#filling = this.#isRefused(() => this.#fill(current, FILL_BYTES)).then((refused) => {
        this.#fillRefused = refused;
        this.#filling = undefined;
      });
    }
    const wantsSpare = position > this.#segmentBytes / 2 && this.#spares.length === 0;
    if (wantsSpare && this.#making === undefined) {
      this.#making = this.#isRefused(() => this.#makeSpare()).then((refused) => {
        this.#spareRefused = refused;
        this.#making = undefined;
      });
    }
  }

  /** Whoever gave a file to write in waits for this before closing it. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#making, this.#filling]);
    const spares = this.#spares;
    this.#spares = [];
    for (const { file } of spares) await file.close();
  }

  /** Failing is no disaster here: it is noted, and tried again a little later. */
  async #isRefused(make: () => Promise<void>): Promise<boolean> {
    try {
      await make();
      return false;
    } catch (error) {
      this.#callsToSkip = CALLS_BETWEEN_ATTEMPTS;
      return isFault(error, "DiskFull");
    }
  }

  async #makeSpare(): Promise<void> {
    const spare = await this.#make(this.#segmentBytes);
    // A log that closes meanwhile does not wait for the rest of it.
    if (spare.filled < this.#segmentBytes) return this.#discard(spare);
    await spare.file.datasync();
    this.#spares.push(spare);
  }

  async #make(bytes: number): Promise<FilledFile> {
    const path = this.#nextSparePath();
    const made: FilledFile = { path, file: await this.#disk.open(path, "create"), filled: 0 };
    try {
      while (made.filled < bytes && !this.#closed) await this.#fill(made, Math.min(FILL_BYTES, bytes - made.filled));
      return made;
    } catch (error) {
      // Give back what the attempt took: others need it more.
      await this.#discard(made).catch(() => undefined);
      throw error;
    }
  }

  async #discard(file: FilledFile): Promise<void> {
    await file.file.close();
    await this.#disk.remove(file.path);
  }

  async #fill(target: FilledFile, bytesMax: number): Promise<void> {
    const bytes = Math.min(bytesMax, this.#segmentBytes - target.filled);
    await target.file.write([Buffer.alloc(bytes)], target.filled);
    target.filled += bytes;
  }

  #nextSparePath(): string {
    this.#spareNumber += 1;
    return `${this.#folder}/${this.#spareNumber}.spare`;
  }
}
