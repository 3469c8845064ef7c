// The disk as a port: the one file of the log that touches the operating system. Everything else in log/ can be run
// on a disk that misbehaves on purpose (test-disk.ts). Failures come as Faults: DiskFull where room is missing, else
// DiskFailed.

import * as fs from "node:fs";
import { Fault } from "../base/fault.ts";

export interface DiskFile {
  /** Fills `into` from `position`; answers how many bytes there were. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all parts, one after the other, from `position`. The parts must not change until it resolves. */
  write(parts: Uint8Array[], position: number): Promise<void>;
  /** What was written before the call survives a power cut once this resolves. */
  datasync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export interface Disk {
  /** "read": must exist. "write": read and write, must exist. "create": read and write, made anew, emptied. */
  open(path: string, mode: "read" | "write" | "create"): Promise<DiskFile>;
  /** Atomic; replaces what is there. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Names in the folder; none when it does not exist. */
  list(path: string): Promise<string[]>;
  /** Names created, renamed or removed in the folder survive a power cut once this resolves. */
  syncFolder(path: string): Promise<void>;
}

const FLAGS = { read: "r", write: "r+", create: "w+" } as const;

export const realDisk: Disk = {
  open: (path, mode) =>
    call<number>(path, "open", (done) => fs.open(path, FLAGS[mode], 0o644, done)).then((fd) => new RealFile(path, fd)),
  rename: (from, to) => call(from, "rename", (done) => fs.rename(from, to, (error) => done(error, undefined))),
  remove: (path) => call(path, "remove", (done) => fs.unlink(path, (error) => done(error, undefined))),
  makeFolder: (path) =>
    call(path, "create", (done) => fs.mkdir(path, { recursive: true }, (error) => done(error, undefined))),
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
};

class RealFile implements DiskFile {
  readonly #path: string;
  readonly #fd: number;

  constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let total = 0;
    while (total < into.length) {
      const bytes = await call<number>(this.#path, "read", (done) =>
        fs.read(this.#fd, into, total, into.length - total, position + total, done),
      );
      if (bytes === 0) break;
      total += bytes;
    }
    return total;
  }

  async write(parts: Uint8Array[], position: number): Promise<void> {
    let at = position;
    let rest = parts;
    while (rest.length > 0) {
      const written = await call<number>(this.#path, "write", (done) => fs.writev(this.#fd, rest, at, done));
      at += written;
      rest = without(rest, written);
    }
  }

  datasync(): Promise<void> {
    return call(this.#path, "sync", (done) => fs.fdatasync(this.#fd, (error) => done(error, undefined)));
  }

  size(): Promise<number> {
    return call<fs.Stats>(this.#path, "look at", (done) => fs.fstat(this.#fd, done)).then((stats) => stats.size);
  }

  close(): Promise<void> {
    return call(this.#path, "close", (done) => fs.close(this.#fd, (error) => done(error, undefined)));
  }
}

/** What is left of `parts` after the first `bytes`: a write may be short. */
function without(parts: Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Uint8Array;
    if (left < part.length) return [part.subarray(left), ...parts.slice(index + 1)];
    left -= part.length;
  }
  return [];
}

function call<Value = void>(
  path: string,
  action: string,
  start: (done: (error: NodeJS.ErrnoException | null, value: Value) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(diskFault(path, action, error));
      else resolve(value);
    });
  });
}

export function diskFault(path: string, action: string, error: NodeJS.ErrnoException): Fault {
  if (error.code === "ENOSPC" || error.code === "EDQUOT") {
    return new Fault("DiskFull", `The disk is full: could not ${action} ${path}. Free some space.`, error);
  }
  return new Fault("DiskFailed", `Could not ${action} ${path}: ${error.message}.`, error);
}
