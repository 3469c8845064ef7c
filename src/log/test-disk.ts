// A disk in memory that misbehaves on purpose, for tests and for the simulator. It knows what a power cut would leave:
// each write is kept, lost or torn until a sync of its file covers it, and so is each name (created, renamed, removed)
// until a sync of its folder does. Calls take a few turns of the microtask queue, drawn from the seed, so that
// work in the background falls between the writer's steps in many orders.
//
// Harsher than most real disks: writes and names survive in any order, tears fall at any byte, and what a failed sync
// covered stays readable but is never written again by the system (as Linux does it).

import { assert } from "../base/assert.ts";
import { Fault } from "../base/fault.ts";
import type { Random } from "../base/random.ts";
import { type Disk, type DiskFile, diskFault } from "./disk.ts";
import type { FolderLock } from "./folder-lock.ts";

interface PendingWrite {
  position: number;
  bytes: Uint8Array;
}

class Inode {
  /** As programs see it. */
  bytes: Buffer = Buffer.alloc(0);
  size = 0;
  /** As a power cut would leave it, apart from `pending`. */
  durable: Buffer = Buffer.alloc(0);
  durableSize = 0;
  pending: PendingWrite[] = [];
}

/** undefined: the name goes. */
interface PendingNames {
  changes: [string, Inode | Folder | undefined][];
}

class Folder {
  readonly names = new Map<string, Inode | Folder>();
  durable = new Map<string, Inode | Folder>();
  pending: PendingNames[] = [];
}

export interface TestDiskCounts {
  writes: number;
  writtenBytes: number;
  syncs: number;
  folderSyncs: number;
  /** Everything that changes the disk, syncs included: what `stopAfter` counts. */
  changes: number;
}

export class TestDisk implements Disk {
  readonly #random: Random;
  #root = new Folder();
  /** Files opened before the last power cut or kill are dead. */
  #life = 0;
  #locks = new Set<string>();
  #stopAtChange = Number.POSITIVE_INFINITY;
  #failures: { kind: "write" | "sync"; left: number }[] = [];
  bytesMax = Number.POSITIVE_INFINITY;
  readonly counts: TestDiskCounts = { writes: 0, writtenBytes: 0, syncs: 0, folderSyncs: 0, changes: 0 };

  constructor(random: Random) {
    this.#random = random;
  }

  /** The nth write (or sync) from now fails once; of a failed write a part may have happened. */
  failNth(kind: "write" | "sync", nth: number): void {
    this.#failures.push({ kind, left: nth });
  }

  /** After so many more changes the power is off: everything fails until `powerCut` or `kill`. */
  stopAfter(changes: number): void {
    this.#stopAtChange = this.counts.changes + changes;
  }

  get isStopped(): boolean {
    return this.counts.changes >= this.#stopAtChange;
  }

  /** The power fails and comes back: what was not synced is kept, lost or torn, by chance. */
  powerCut(random: Random = this.#random): void {
    this.#restart();
    this.#root = this.#survivors(this.#root, random, new Map()) as Folder;
  }

  /** The process dies, the system lives on: everything written stays readable, synced or not. */
  kill(): void {
    this.#restart();
  }

  flipBit(path: string, byte: number, bit: number): void {
    const inode = this.#inode(path);
    assert(byte < inode.size, `${path} has no byte ${byte}`);
    inode.bytes[byte] = (inode.bytes[byte] as number) ^ (1 << bit);
    if (byte < inode.durableSize) inode.durable[byte] = (inode.durable[byte] as number) ^ (1 << bit);
  }

  truncate(path: string, bytes: number): void {
    const inode = this.#inode(path);
    inode.size = Math.min(inode.size, bytes);
    inode.durableSize = Math.min(inode.durableSize, bytes);
  }

  contents(path: string): Buffer {
    const inode = this.#inode(path);
    return inode.bytes.subarray(0, inode.size);
  }

  get usedBytes(): number {
    return usedBytes(this.#root);
  }

  async open(path: string, mode: "read" | "write" | "create"): Promise<DiskFile> {
    const life = await this.#turns();
    const [folder, name] = this.#parentOf(path);
    let found = folder.names.get(name);
    if (mode === "create") {
      this.#change(life);
      if (found === undefined) {
        found = new Inode();
        folder.names.set(name, found);
        folder.pending.push({ changes: [[name, found]] });
      } else if (found instanceof Inode) {
        found.size = 0;
        found.durableSize = 0;
        found.pending = [];
      }
    }
    if (!(found instanceof Inode)) throw missing(path, "open");
    return new TestFile(this, found, path, life);
  }

  async rename(from: string, to: string): Promise<void> {
    const life = await this.#turns();
    this.#change(life);
    const [folder, oldName] = this.#parentOf(from);
    const [target, newName] = this.#parentOf(to);
    const found = folder.names.get(oldName);
    if (found === undefined) throw missing(from, "rename");
    assert(folder === target, "only renames within a folder are needed, and only they are easily atomic");
    folder.names.delete(oldName);
    folder.names.set(newName, found);
    folder.pending.push({
      changes: [
        [oldName, undefined],
        [newName, found],
      ],
    });
  }

  async remove(path: string): Promise<void> {
    const life = await this.#turns();
    this.#change(life);
    const [folder, name] = this.#parentOf(path);
    if (!folder.names.delete(name)) throw missing(path, "remove");
    folder.pending.push({ changes: [[name, undefined]] });
  }

  async makeFolder(path: string): Promise<void> {
    const life = await this.#turns();
    let folder = this.#root;
    for (const name of partsOf(path)) {
      let next = folder.names.get(name);
      if (next === undefined) {
        this.#change(life);
        next = new Folder();
        folder.names.set(name, next);
        folder.durable.set(name, next);
      }
      folder = next as Folder;
    }
  }

  async list(path: string): Promise<string[]> {
    const life = await this.#turns();
    this.assertAlive(life);
    const found = this.#find(path);
    return found instanceof Folder ? [...found.names.keys()] : [];
  }

  async syncFolder(path: string): Promise<void> {
    const life = await this.#turns();
    this.#change(life);
    this.counts.folderSyncs += 1;
    this.#failIfDue("sync", path);
    const found = this.#find(path);
    if (!(found instanceof Folder)) throw missing(path, "sync");
    found.pending = [];
    found.durable = new Map(found.names);
  }

  async lock(path: string): Promise<FolderLock> {
    if (this.#locks.has(path)) throw new Fault("DataFolderInUse", `The data folder ${path} is in use.`);
    this.#locks.add(path);
    return {
      describe: () => undefined,
      release: async () => {
        this.#locks.delete(path);
      },
    };
  }

  /** For TestFile: a few turns pass; answers in which life of the machine the call was made. */
  async turns(life: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let left = this.#random.below(4);
      const pass = () => (left-- === 0 ? resolve() : queueMicrotask(pass));
      pass();
    });
    this.assertAlive(life);
  }

  assertAlive(life: number): void {
    if (life !== this.#life || this.isStopped) throw new Fault("DiskFailed", "The power is off.");
  }

  async write(inode: Inode, path: string, parts: Uint8Array[], position: number, life: number): Promise<void> {
    const bytes = Buffer.concat(parts);
    await this.turns(life);
    // Parts must not change until the write has resolved.
    assert(bytes.equals(Buffer.concat(parts)), "the parts of a write changed under it");
    this.#change(life);
    this.counts.writes += 1;
    try {
      this.#failIfDue("write", path);
    } catch (error) {
      this.#put(inode, bytes.subarray(0, this.#random.below(bytes.length + 1)), position);
      throw error;
    }
    const room = Math.max(0, this.bytesMax - this.usedBytes);
    const fitting = Math.max(0, inode.size - position) + room;
    this.#put(inode, bytes.subarray(0, fitting), position);
    this.counts.writtenBytes += bytes.length;
    if (fitting < bytes.length) throw diskFault(path, "write", Object.assign(new Error("no room"), { code: "ENOSPC" }));
  }

  async datasync(inode: Inode, path: string, life: number): Promise<void> {
    // What is written after this call is not covered by it.
    const covered = new Set(inode.pending);
    await this.turns(life);
    this.#change(life);
    this.counts.syncs += 1;
    try {
      this.#failIfDue("sync", path);
    } catch (error) {
      // Some of it reached the disk. The rest is forgotten: readable, and never to be written.
      for (const write of inode.pending) if (covered.has(write)) putSurvivors(inode, write, this.#random);
      inode.pending = inode.pending.filter((write) => !covered.has(write));
      throw error;
    }
    for (const write of inode.pending) if (covered.has(write)) putDurable(inode, write);
    inode.pending = inode.pending.filter((write) => !covered.has(write));
  }

  async #turns(): Promise<number> {
    const life = this.#life;
    await this.turns(life);
    return life;
  }

  #change(life: number): void {
    this.assertAlive(life);
    this.counts.changes += 1;
    // The change that is one too many does not happen.
    this.assertAlive(life);
  }

  #failIfDue(kind: "write" | "sync", path: string): void {
    for (const failure of this.#failures) if (failure.kind === kind) failure.left -= 1;
    const due = this.#failures.findIndex((failure) => failure.left === 0);
    if (due < 0) return;
    this.#failures.splice(due, 1);
    throw new Fault("DiskFailed", `Could not ${kind} ${path}: told to fail.`);
  }

  #put(inode: Inode, bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return;
    inode.bytes = put(inode.bytes, inode.size, bytes, position);
    inode.size = Math.max(inode.size, position + bytes.length);
    inode.pending.push({ position, bytes: Uint8Array.from(bytes) });
  }

  #restart(): void {
    this.#life += 1;
    this.#stopAtChange = Number.POSITIVE_INFINITY;
    this.#failures = [];
    this.#locks.clear();
  }

  /** The folder or file as a power cut leaves it. A file with two surviving names stays one file. */
  #survivors(node: Inode | Folder, random: Random, seen: Map<object, Inode | Folder>): Inode | Folder {
    const known = seen.get(node);
    if (known !== undefined) return known;
    if (node instanceof Inode) {
      const kept = survivingFile(node, random);
      seen.set(node, kept);
      return kept;
    }
    const kept = new Folder();
    seen.set(node, kept);
    for (const [name, child] of survivingNames(node, random))
      kept.names.set(name, this.#survivors(child, random, seen));
    kept.durable = new Map(kept.names);
    return kept;
  }

  #find(path: string): Inode | Folder | undefined {
    let found: Inode | Folder | undefined = this.#root;
    for (const name of partsOf(path)) found = found instanceof Folder ? found.names.get(name) : undefined;
    return found;
  }

  #inode(path: string): Inode {
    const found = this.#find(path);
    if (!(found instanceof Inode)) throw missing(path, "open");
    return found;
  }

  #parentOf(path: string): [Folder, string] {
    const parts = partsOf(path);
    const name = parts.pop() as string;
    const folder = this.#find(parts.join("/"));
    if (!(folder instanceof Folder)) throw missing(path, "open");
    return [folder, name];
  }
}

class TestFile implements DiskFile {
  readonly #disk: TestDisk;
  readonly #inode: Inode;
  readonly #path: string;
  readonly #life: number;
  #closed = false;

  constructor(disk: TestDisk, inode: Inode, path: string, life: number) {
    this.#disk = disk;
    this.#inode = inode;
    this.#path = path;
    this.#life = life;
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    this.#assertOpen();
    await this.#disk.turns(this.#life);
    const { bytes, size } = this.#inode;
    const found = bytes.subarray(Math.min(position, size), Math.min(position + into.length, size));
    into.set(found);
    return found.length;
  }

  write(parts: Uint8Array[], position: number): Promise<void> {
    this.#assertOpen();
    return this.#disk.write(this.#inode, this.#path, parts, position, this.#life);
  }

  datasync(): Promise<void> {
    this.#assertOpen();
    return this.#disk.datasync(this.#inode, this.#path, this.#life);
  }

  async size(): Promise<number> {
    this.#assertOpen();
    await this.#disk.turns(this.#life);
    return this.#inode.size;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #assertOpen(): void {
    if (this.#closed) throw new Fault("ShardStopped", `${this.#path} was closed meanwhile.`);
  }
}

function survivingFile(inode: Inode, random: Random): Inode {
  for (const write of inode.pending) putSurvivors(inode, write, random);
  const kept = new Inode();
  kept.durable = inode.durable;
  kept.durableSize = inode.durableSize;
  kept.bytes = Buffer.from(inode.durable.subarray(0, inode.durableSize));
  kept.size = inode.durableSize;
  return kept;
}

function putSurvivors(inode: Inode, { position, bytes }: PendingWrite, random: Random): void {
  for (const [from, to] of survivingStretches(bytes.length, random)) {
    putDurable(inode, { position: position + from, bytes: bytes.subarray(from, to) });
  }
}

/** Which bytes of an unsynced write are there afterwards: all, none, the start, the end, or some sectors of it. */
function survivingStretches(length: number, random: Random): [number, number][] {
  switch (random.below(5)) {
    case 0:
      return [[0, length]];
    case 1:
      return [];
    case 2:
      return [[0, random.below(length + 1)]];
    case 3:
      return [[random.below(length + 1), length]];
    default: {
      const sectorBytes = random.pick([64, 512, 4096]);
      const stretches: [number, number][] = [];
      for (let from = 0; from < length; from += sectorBytes) {
        if (random.chance(0.5)) stretches.push([from, Math.min(from + sectorBytes, length)]);
      }
      return stretches;
    }
  }
}

/** Usually a journal keeps changes of names in order, up to some point; now and then any of them survive. */
function survivingNames(folder: Folder, random: Random): Map<string, Inode | Folder> {
  const names = new Map(folder.durable);
  const isOrdered = random.chance(0.6);
  const keptCount = random.below(folder.pending.length + 1);
  for (const [index, { changes }] of folder.pending.entries()) {
    const isKept = isOrdered ? index < keptCount : random.chance(0.5);
    if (!isKept) continue;
    for (const [name, node] of changes) {
      if (node === undefined) names.delete(name);
      else names.set(name, node);
    }
  }
  return names;
}

function putDurable(inode: Inode, { bytes, position }: PendingWrite): void {
  inode.durable = put(inode.durable, inode.durableSize, bytes, position);
  inode.durableSize = Math.max(inode.durableSize, position + bytes.length);
}

/** `target` with `bytes` at `position`, grown with zeros where it has to be. */
function put(target: Buffer, size: number, bytes: Uint8Array, position: number): Buffer {
  const end = position + bytes.length;
  let grown = target;
  if (end > target.length) {
    grown = Buffer.alloc(Math.max(end, Math.ceil(target.length * 1.5)));
    target.copy(grown, 0, 0, size);
  } else if (position > size) target.fill(0, size, position);
  grown.set(bytes, position);
  return grown;
}

function usedBytes(folder: Folder): number {
  let sum = 0;
  for (const node of folder.names.values()) sum += node instanceof Folder ? usedBytes(node) : node.size;
  return sum;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function missing(path: string, action: string): Fault {
  return diskFault(path, action, Object.assign(new Error("no such file"), { code: "ENOENT" }));
}
