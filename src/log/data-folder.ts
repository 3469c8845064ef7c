// A data folder: the marker that says whose it is and which format it has, the lock, and a folder per shard. A folder
// that holds anything else is left alone. Layout: docs/log-format.md.

import { randomInt, randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Fault } from "../base/fault.ts";
import { realDisk } from "./disk.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import type { ShardStorage } from "./log.ts";
import { openSegmentLog } from "./segment/segment-log.ts";
import { openSnapshotFiles } from "./snapshot-files.ts";

const FORMAT = 1;
const MARKER = "millpond.json";

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

/** Throws Faults: DataFolderUnwritable, DataFolderForeign, DataFolderInUse, FormatTooNew. */
export async function openDataFolder(given: string, options: DataFolderOptions): Promise<DataFolder> {
  const path = resolve(given);
  makeWritable(path);
  const found = readMarker(path);
  const lock = await lockFolder(path);
  try {
    return use(path, found ?? newMarker(options.shardCount), found === undefined, options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The folder's marker; undefined when it is empty or absent. Throws when it is not ours or too new. */
export function readMarker(path: string): Marker | undefined {
  const markerPath = `${path}/${MARKER}`;
  if (!existsSync(markerPath)) {
    const others = existsSync(path) ? readdirSync(path).filter((name) => name !== "lock.json" && !name.endsWith(".new")) : [];
    if (others.length === 0) return undefined;
    throw new Fault(
      "DataFolderForeign",
      `${path} is not empty and was not made by Millpond (it holds ${others[0]}, and no ${MARKER}). Choose an empty or new folder with --data.`,
    );
  }
  const marker = parseMarker(markerPath);
  if (marker.format > FORMAT) {
    throw new Fault(
      "FormatTooNew",
      `${path} was written by a newer Millpond (format ${marker.format}; this one reads up to ${FORMAT}). Use that version.`,
    );
  }
  return marker;
}

export function shardFolder(path: string, shard: number): string {
  return `${path}/shards/${String(shard).padStart(4, "0")}`;
}

function use(
  path: string,
  marker: Marker,
  isNew: boolean,
  options: DataFolderOptions,
  lock: FolderLock,
): DataFolder {
  const notes: string[] = [];
  const shardCount = Math.max(marker.shardCount, options.shardCount);
  if (marker.shardCount > options.shardCount) {
    notes.push(`The data folder has ${marker.shardCount} shards, so ${marker.shardCount} are run instead of ${options.shardCount}.`);
  }
  if (isNew || shardCount !== marker.shardCount) writeMarker(path, { ...marker, shardCount });
  const writerId = randomInt(2 ** 32);
  return {
    path,
    shardCount,
    notes,
    async shardStorage(shard) {
      const folder = shardFolder(path, shard);
      const { durability, segmentBytesMax } = options;
      const log = await openSegmentLog({ disk: realDisk, folder, shard, writerId, durability, segmentBytesMax });
      return { log, snapshots: await openSnapshotFiles(realDisk, folder, shard) };
    },
    describe: (endpoint) => lock.describe(endpoint),
    close: () => lock.release(),
  };
}

function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Fault(
      "DataFolderUnwritable",
      `The data folder ${path} cannot be written to (${(error as Error).message}). Give this user access to it, or choose another with --data.`,
      error,
    );
  }
}

function newMarker(shardCount: number): Marker {
  return { product: "millpond", format: FORMAT, id: randomUUID(), createdAt: new Date().toISOString(), shardCount };
}

function parseMarker(markerPath: string): Marker {
  try {
    const marker = JSON.parse(readFileSync(markerPath, "utf8")) as Marker;
    if (marker.product === "millpond" && Number.isInteger(marker.format) && Number.isInteger(marker.shardCount)) return marker;
  } catch {
    // Falls through to the one answer for anything unreadable.
  }
  throw new Fault("DataFolderForeign", `${markerPath} is not a Millpond marker. Choose another folder with --data.`);
}

function writeMarker(path: string, marker: Marker): void {
  const markerPath = `${path}/${MARKER}`;
  writeFileSync(`${markerPath}.new`, `${JSON.stringify(marker, undefined, 2)}\n`, { flush: true });
  renameSync(`${markerPath}.new`, markerPath);
}
