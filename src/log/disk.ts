// The disk as a port: with folder-lock.ts, all of the log that touches the operating system. Everything else in log/ can be run
// on a disk that misbehaves on purpose (test-disk.ts). Failures come as Faults: DiskFull where room is missing, else
// DiskFailed.

import * as fs from "node:fs";
import { dirname } from "node:path";
import { Fault, isFault } from "../base/fault.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";

export interface DiskFile {
  /** Fills `into` from `position`; answers how many bytes there were. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all parts, one after the other, from `position`. The parts must not change until it resolves. */
  write(parts: Uint8Array[], position: number): Promise<void>;
  /** What was written before the call survives a power cut once this resolves. */
  datasync(): Promise<void>;
  size(): Promise<number>;
  /** Waits for what is under way; later calls reject. */
  close(): Promise<void>;
}

export interface Disk {
  /** "read": must exist. "write": read and write, must exist. "create": read and write, made anew, emptied. */
  open(path: string, mode: "read" | "write" | "create"): Promise<DiskFile>;
  /** Atomic; replaces what is there. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** With the folders above it; all of them survive a power cut once this resolves. */
  makeFolder(path: string): Promise<void>;
  /** Names in the folder; none when it does not exist. */
  list(path: string): Promise<string[]>;
  /** Names created, renamed or removed in the folder survive a power cut once this resolves. */
  syncFolder(path: string): Promise<void>;
  /** Keeps other processes, and other openings in this one, away. Throws a Fault DataFolderInUse naming the owner. */
  lock(path: string): Promise<FolderLock>;
}

/** The whole file. */
export async function readWhole(disk: Disk, path: string): Promise<Buffer> {
  const file = await disk.open(path, "read");
  try {
    const bytes = Buffer.allocUnsafeSlow(await file.size());
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/** Writes aside, syncs, renames: under `path` stands the old content or all of the new, whenever the power fails. */
export async function replaceFile(disk: Disk, folder: string, name: string, chunks: Uint8Array[]): Promise<void> {
  await replaceFileBy(disk, folder, name, (file) => file.write(chunks, 0));
}

/** The same for content that is written step by step. */
export async function replaceFileBy(
  disk: Disk,
  folder: string,
  name: string,
  write: (file: DiskFile) => Promise<void>,
): Promise<void> {
  const aside = `${folder}/${name}.new`;
  const file = await disk.open(aside, "create");
  try {
    await write(file);
    await file.datasync();
    await file.close();
    await disk.rename(aside, `${folder}/${name}`);
  } catch (error) {
    await file.close().catch(() => undefined);
    await disk.remove(aside).catch(() => undefined);
    throw error;
  }
  await disk.syncFolder(folder);
}

export function isMissing(error: unknown): boolean {
  return isFault(error, "DiskFailed") && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

/** The most that one read asks of the system, which takes no more than 2 GiB at once. */
const READ_BYTES_MAX = 1024 ** 3;
const WRITE_AT_ONCE_BYTES_MAX = 256 * 1024;
const FLAGS = { read: "r", write: "r+", create: "w+" } as const;

export const realDisk: Disk = {
  open: (path, mode) =>
    call<number>(path, "open", (done) => fs.open(path, FLAGS[mode], 0o644, done)).then((fd) => new RealFile(path, fd)),
  rename: (from, to) => call(from, "rename", (done) => fs.rename(from, to, (error) => done(error, undefined))),
  remove: (path) => call(path, "remove", (done) => fs.unlink(path, (error) => done(error, undefined))),
  async makeFolder(path) {
    // Node answers the first folder that it had to make: that one's name, too, must be kept by the folder above.
    const first = await call<string | undefined>(path, "create", (done) => fs.mkdir(path, { recursive: true }, done));
    if (first === undefined) return;
    const top = dirname(first);
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      await this.syncFolder(folder).catch(unlessForbidden);
      if (folder === top || folder === dirname(folder)) return;
    }
  },
  async list(path) {
    try {
      return await fs.promises.readdir(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw diskFault(path, "list", error as NodeJS.ErrnoException);
    }
  },
  async syncFolder(path) {
    // Windows cannot sync a folder, and does not need to.
    if (process.platform === "win32") return;
    const fd = await call<number>(path, "open", (done) => fs.open(path, "r", done));
    try {
      await call(path, "sync", (done) => fs.fsync(fd, (error) => done(error, undefined)));
    } finally {
      fs.close(fd, () => undefined);
    }
  },
  lock: lockFolder,
};

class RealFile implements DiskFile {
  readonly #path: string;
  readonly #fd: number;
  /** The system may give a closed file's number to the next file: nothing may be under way by then. */
  #underWayCount = 0;
  #whenIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  read(into: Uint8Array, position: number): Promise<number> {
    return this.#run(async () => {
      let total = 0;
      while (total < into.length) {
        const wanted = Math.min(into.length - total, READ_BYTES_MAX);
        const bytes = await call<number>(this.#path, "read", (done) =>
          fs.read(this.#fd, into, total, wanted, position + total, done),
        );
        if (bytes === 0) break;
        total += bytes;
      }
      return total;
    });
  }

  write(parts: Uint8Array[], position: number): Promise<void> {
    return this.#run(async () => {
      if (this.#writeAtOnce(parts, position)) return;
      let at = position;
      let rest = parts.filter((part) => part.length > 0);
      while (rest.length > 0) {
        const written = await call<number>(this.#path, "write", (done) => fs.writev(this.#fd, rest, at, done));
        at += written;
        rest = without(rest, written);
      }
    });
  }

  /**
   * A small write goes into the system's memory at once: that takes some microseconds, and handing it to another thread
   * and back several times as many. False when it was not small, or did not go through whole.
   */
  #writeAtOnce(parts: Uint8Array[], position: number): boolean {
    let bytes = 0;
    for (const part of parts) bytes += part.length;
    if (bytes > WRITE_AT_ONCE_BYTES_MAX) return false;
    try {
      return fs.writevSync(this.#fd, parts, position) === bytes;
    } catch {
      // The other way meets the same error and tells it with its file.
      return false;
    }
  }

  datasync(): Promise<void> {
    return this.#run(() =>
      call(this.#path, "sync", (done) => fs.fdatasync(this.#fd, (error) => done(error, undefined))),
    );
  }

  size(): Promise<number> {
    return this.#run(() => call<fs.Stats>(this.#path, "look at", (done) => fs.fstat(this.#fd, done))).then(
      (stats) => stats.size,
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#underWayCount > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await call(this.#path, "close", (done) => fs.close(this.#fd, (error) => done(error, undefined)));
  }

  async #run<Value>(act: () => Promise<Value>): Promise<Value> {
    if (this.#closed !== undefined) throw new Fault("ShardStopped", `${this.#path} was closed meanwhile.`);
    this.#underWayCount += 1;
    try {
      return await act();
    } finally {
      this.#underWayCount -= 1;
      if (this.#underWayCount === 0) this.#whenIdle?.();
    }
  }
}

/** A folder above ours may not be ours to read; then nothing can be done about its durability. */
function unlessForbidden(error: unknown): void {
  const { code } = ((error as Fault).cause ?? {}) as NodeJS.ErrnoException;
  if (code !== "EACCES" && code !== "EPERM") throw error;
}

/** What is left of `parts` after the first `bytes`: a write may be short. */
function without(parts: Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Uint8Array;
    if (left === 0) return parts.slice(index);
    if (left < part.length) return [part.subarray(left), ...parts.slice(index + 1)];
    left -= part.length;
  }
  return [];
}

function call<Value = void>(
  path: string,
  action: string,
  start: (done: (error: NodeJS.ErrnoException | null, value?: Value) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(diskFault(path, action, error));
      else resolve(value as Value);
    });
  });
}

export function diskFault(path: string, action: string, error: NodeJS.ErrnoException): Fault {
  if (error.code === "ENOSPC" || error.code === "EDQUOT") {
    return new Fault("DiskFull", `The disk is full: could not ${action} ${path}. Free some space.`, error);
  }
  return new Fault("DiskFailed", `Could not ${action} ${path}: ${error.message}.`, error);
}
