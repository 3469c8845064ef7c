// Room on the disk, ahead of need: overwriting blocks that exist costs a fraction of growing a file (each growth is a
// change to the file system's journal), and room that is there cannot be refused when an entry must be stored.
// The segment being written is zero-filled some way ahead of the writer; the next one waits whole, as a spare file
// made in the background or recycled from a trimmed segment.

import { isFault } from "../../base/fault.ts";
import type { Disk, DiskFile } from "../disk.ts";

const MiB = 1024 * 1024;
/** The first zero-fill of a new segment is small, so that a new data folder opens at once. */
const FIRST_FILL_BYTES = MiB;
const FILL_BYTES = 4 * MiB;
/** On a full disk, how many calls pass between two attempts: counted, not timed, so that it can be replayed. */
const CALLS_BETWEEN_ATTEMPTS = 16;

/** Zero-filled up to `filled`. */
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
  diskFull = false;
  #callsToSkip = 0;

  constructor(disk: Disk, folder: string, segmentBytes: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
  }

  /** Takes over spare files of an earlier run; the whole ones are kept. */
  async adopt(paths: string[]): Promise<void> {
    for (const path of paths) {
      this.#spareNumber = Math.max(this.#spareNumber, Number(/(\d+)\.spare$/.exec(path)?.[1] ?? 0));
      const file = await this.#disk.open(path, "write");
      const size = await file.size();
      if (size >= this.#segmentBytes && this.#spares.length === 0) this.#spares.push({ path, file, filled: size });
      else {
        await file.close();
        await this.#disk.remove(path);
      }
    }
  }

  /** A file to write the next segment into; made on the spot when no spare is ready. */
  async take(): Promise<FilledFile> {
    await this.#making;
    const spare = this.#spares.pop();
    if (spare !== undefined) return spare;
    const made = await this.#create();
    await this.#fill(made, FIRST_FILL_BYTES);
    return made;
  }

  /** A trimmed segment's file: kept as the spare if there is none, else removed. */
  async give(path: string, file: DiskFile): Promise<void> {
    const size = await file.size();
    if (this.#spares.length > 0 || this.#making !== undefined || size < this.#segmentBytes) {
      await file.close();
      await this.#disk.remove(path);
      return;
    }
    const sparePath = this.#nextSparePath();
    await this.#disk.rename(path, sparePath);
    this.#spares.push({ path: sparePath, file, filled: size });
    this.diskFull = false;
  }

  get spareBytes(): number {
    return this.#spares.reduce((sum, spare) => sum + spare.filled, 0);
  }

  /** Called after writes: keeps some room ahead in `current`, and a spare once half of it is used. */
  keepAhead(current: FilledFile, position: number): void {
    if (this.diskFull && this.#callsToSkip > 0) {
      this.#callsToSkip -= 1;
      return;
    }
    const wantsFill = current.filled < this.#segmentBytes && current.filled - position < 2 * FILL_BYTES;
    if (wantsFill && this.#filling === undefined) {
      this.#filling = this.#attempt(() => this.#fill(current, FILL_BYTES)).finally(() => {
        this.#filling = undefined;
      });
    }
    const wantsSpare = position > this.#segmentBytes / 2 && this.#spares.length === 0;
    if (wantsSpare && this.#making === undefined) {
      this.#making = this.#attempt(() => this.#makeSpare()).finally(() => {
        this.#making = undefined;
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#making, this.#filling]);
    for (const { file } of this.#spares) await file.close();
    this.#spares = [];
  }

  /** No room is no disaster here: it is noted, and tried again a little later. */
  async #attempt(make: () => Promise<void>): Promise<void> {
    try {
      await make();
      this.diskFull = false;
    } catch (error) {
      this.#callsToSkip = CALLS_BETWEEN_ATTEMPTS;
      if (isFault(error, "DiskFull")) this.diskFull = true;
    }
  }

  async #makeSpare(): Promise<void> {
    const spare = await this.#create();
    try {
      while (spare.filled < this.#segmentBytes) await this.#fill(spare, FILL_BYTES);
      await spare.file.datasync();
      this.#spares.push(spare);
    } catch (error) {
      // Give back what the attempt took: others need it more.
      await spare.file.close();
      await this.#disk.remove(spare.path);
      throw error;
    }
  }

  async #create(): Promise<FilledFile> {
    const path = this.#nextSparePath();
    return { path, file: await this.#disk.open(path, "create"), filled: 0 };
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
