// A data folder: the marker that says whose it is and which format it has, the lock, and a folder per shard. A folder
// that holds anything else is left alone. Layout: docs/log-format.md.

import { randomInt, randomUUID } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { Fault, isFault } from "../base/fault.ts";
import { type Disk, isMissing, readWhole, realDisk, replaceFile } from "./disk.ts";
import { type FolderLock, LOCK_INFO } from "./folder-lock.ts";
import type { ShardStorage } from "./log.ts";
import { openSegmentStorage } from "./segment-storage.ts";

/** Raised when an older Millpond must not touch what this one writes. */
const FORMAT = 1;
const MARKER = "millpond.json";
const SHARDS = "shards";
/** Uploaded code of functions; theirs alone. */
export const FUNCTIONS_FOLDER = "functions";
/** The server's: the key that notifications are signed with, and its certificate. */
export const SIGNING_FILE = "sns-signing.pem";
/**
 * May be in a folder that is otherwise empty: a lock, a marker whose writing was interrupted, a key that is to be used
 * from the first start on, a file system's own.
 */
const NOT_FOREIGN = new Set([LOCK_INFO, `${MARKER}.new`, SIGNING_FILE, "lost+found"]);

export interface DataFolderOptions {
  /** At least this many; a folder with more keeps its own count. */
  shardCount: number;
  durability: "fsync" | "os";
  segmentBytesMax: number;
}

export interface DataFolder {
  path: string;
  shardCount: number;
  /** What the operator should know, in sentences. */
  notes: string[];
  shardStorage(shard: number): Promise<ShardStorage>;
  /** Tells others who ask for the folder where it is served. */
  describe(endpoint: string): void;
  close(): Promise<void>;
}

interface Marker {
  product: "millpond";
  format: number;
  id: string;
  createdAt: string;
  shardCount: number;
}

/** Throws Faults: DataFolderUnwritable, DataFolderForeign, DataFolderInUse, FormatTooNew, LogDamaged, DiskFull. */
export async function openDataFolder(
  given: string,
  options: DataFolderOptions,
  disk: Disk = realDisk,
): Promise<DataFolder> {
  const path = resolve(given);
  await makeWritable(path, disk);
  // Asked before the lock, so that nothing is written to a folder that is not ours, and again under it.
  await readMarker(path, disk);
  const lock = await disk.lock(path);
  try {
    return await use(path, options, disk, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The folder's marker; undefined when it is empty or absent. Throws when it is not ours, damaged or too new. */
export async function readMarker(path: string, disk: Disk = realDisk): Promise<Marker | undefined> {
  const text = await readWhole(disk, `${path}/${MARKER}`).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const names = await disk.list(path);
  if (text === undefined) {
    const foreign = names.find((name) => !NOT_FOREIGN.has(name));
    if (foreign === undefined) return undefined;
    throw new Fault(
      "DataFolderForeign",
      `${path} is not empty and was not made by Millpond (it holds ${foreign}, and no ${MARKER}). Choose an empty or new folder with --data.`,
    );
  }
  const marker = parseMarker(text.toString("utf8"));
  if (marker === undefined) throw unreadableMarker(path, names);
  if (marker.format > FORMAT) {
    throw new Fault(
      "FormatTooNew",
      `${path} was written by a newer Millpond (format ${marker.format}; this one reads up to ${FORMAT}). Use that version.`,
    );
  }
  return marker;
}

export function shardFolder(path: string, shard: number): string {
  return `${path}/${SHARDS}/${String(shard).padStart(4, "0")}`;
}

async function use(path: string, options: DataFolderOptions, disk: Disk, lock: FolderLock): Promise<DataFolder> {
  const notes: string[] = [];
  const found = await readMarker(path, disk);
  const marker = found ?? newMarker(options.shardCount);
  const shardCount = Math.max(marker.shardCount, options.shardCount);
  if (marker.shardCount > options.shardCount) {
    notes.push(
      `The data folder has ${marker.shardCount} shards, so ${marker.shardCount} are run instead of ${options.shardCount}.`,
    );
  }
  if (found === undefined || shardCount !== marker.shardCount) await writeMarker(path, { ...marker, shardCount }, disk);
  return {
    path,
    shardCount,
    notes,
    async shardStorage(shard) {
      const folder = shardFolder(path, shard);
      await disk.makeFolder(folder);
      // Made by an earlier process, perhaps, that was killed before their names were safe.
      await disk.syncFolder(`${path}/${SHARDS}`);
      await disk.syncFolder(path);
      const { durability, segmentBytesMax } = options;
      const writerId = randomInt(2 ** 32);
      return openSegmentStorage({ disk, folder, shard, writerId, durability, segmentBytesMax });
    },
    describe: (endpoint) => lock.describe(endpoint),
    close: () => lock.release(),
  };
}

async function makeWritable(path: string, disk: Disk): Promise<void> {
  try {
    await disk.makeFolder(path);
    if (disk === realDisk) accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isFault(error, "DiskFull")) throw error;
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): Fault {
  return new Fault(
    "DataFolderUnwritable",
    `The data folder ${path} cannot be written to (${(error as Error).message}). Give this user access to it, or choose another with --data.`,
    error,
  );
}

function newMarker(shardCount: number): Marker {
  return { product: "millpond", format: FORMAT, id: randomUUID(), createdAt: new Date().toISOString(), shardCount };
}

function parseMarker(text: string): Marker | undefined {
  try {
    const marker = JSON.parse(text) as Marker | null;
    const isOurs = marker?.product === "millpond" && Number.isInteger(marker.format) && marker.shardCount >= 1;
    return isOurs ? marker : undefined;
  } catch {
    return undefined;
  }
}

function unreadableMarker(path: string, names: string[]): Fault {
  if (!names.includes(SHARDS)) {
    return new Fault(
      "DataFolderForeign",
      `${path}/${MARKER} is not a Millpond marker. Choose another folder with --data.`,
    );
  }
  return new Fault(
    "LogDamaged",
    `${path}/${MARKER} is damaged: it is not a Millpond marker, although ${path}/${SHARDS} is there. Restore that file from a backup.`,
  );
}

async function writeMarker(path: string, marker: Marker, disk: Disk): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(marker, undefined, 2)}\n`);
  try {
    await replaceFile(disk, path, MARKER, [bytes]);
  } catch (error) {
    throw isFault(error, "DiskFailed") ? unwritable(path, error) : error;
  }
}
