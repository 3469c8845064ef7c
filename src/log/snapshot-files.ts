// Snapshots as files beside the segments: written aside, synced, renamed, so that a name always stands for a whole
// snapshot. The newest two are kept: if one turns out damaged, the older one and the log behind it still recover.
//
//   magic u32 | crc32 u32 over the rest | version u32 | shard u32 | seq f64 | payload bytes f64 | payload

import { crc32 } from "node:zlib";
import { Fault } from "../base/fault.ts";
import { type Disk, readWhole, replaceFileBy } from "./disk.ts";
import { joinedCrc } from "./joined-crc.ts";
import type { Chunks, EntrySeq, SnapshotRef, SnapshotStore } from "./log.ts";

const MAGIC = 0x314e_5053; // "SPN1"
const VERSION = 1;
const HEADER_BYTES = 32;
const KEPT = 2;
const NAME = /^snapshot-(\d{20})\.mps$/;

/**
 * `syncLog` makes the log's entries survive a power cut: it is called before a snapshot of them is written, since a
 * snapshot that is ahead of its log would make the log's later entries look as if they were covered.
 */
export function snapshotFiles(
  disk: Disk,
  folder: string,
  shard: number,
  syncLog: () => Promise<void> = async () => undefined,
): SnapshotStore {
  return new SnapshotFiles(disk, folder, shard, syncLog);
}

/** Removes what an interrupted write left behind. */
export async function tidySnapshots(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.list(folder)) if (name.endsWith(".mps.new")) await disk.remove(`${folder}/${name}`);
}

/** Entries covered by snapshots in the folder, newest first. */
export async function snapshotSeqs(disk: Disk, folder: string): Promise<EntrySeq[]> {
  const names = await disk.list(folder);
  return names
    .map((name) => NAME.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => b - a);
}

export function snapshotFileName(seq: EntrySeq): string {
  return `snapshot-${String(seq).padStart(20, "0")}.mps`;
}

class SnapshotFiles implements SnapshotStore {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #shard: number;
  readonly #syncLog: () => Promise<void>;

  constructor(disk: Disk, folder: string, shard: number, syncLog: () => Promise<void>) {
    this.#disk = disk;
    this.#folder = folder;
    this.#shard = shard;
    this.#syncLog = syncLog;
  }

  async put(seq: EntrySeq, chunks: Chunks): Promise<SnapshotRef> {
    await this.#syncLog();
    let bytes = HEADER_BYTES;
    await replaceFileBy(this.#disk, this.#folder, snapshotFileName(seq), async (file) => {
      let crc = 0;
      for await (const chunk of chunks) {
        // Node's crc32 begins anew at some empty ones, and then the snapshot could never be read back.
        if (chunk.length === 0) continue;
        crc = crc32(chunk, crc);
        await file.write([chunk], bytes);
        bytes += chunk.length;
      }
      // It says how long the payload is, which is known now.
      await file.write([this.#header(seq, bytes - HEADER_BYTES, crc)], 0);
    });
    for (const old of (await snapshotSeqs(this.#disk, this.#folder)).slice(KEPT))
      await this.#disk.remove(this.#path(old));
    return { seq, bytes };
  }

  async list(): Promise<SnapshotRef[]> {
    const refs: SnapshotRef[] = [];
    for (const seq of await snapshotSeqs(this.#disk, this.#folder)) {
      const file = await this.#disk.open(this.#path(seq), "read");
      try {
        refs.push({ seq, bytes: await file.size() });
      } finally {
        await file.close();
      }
    }
    return refs;
  }

  async get(ref: SnapshotRef): Promise<Uint8Array> {
    const path = this.#path(ref.seq);
    const bytes = await readWhole(this.#disk, path);
    const problem = this.#problem(bytes, ref.seq);
    if (problem !== undefined) throw new Fault("LogDamaged", `${path} is damaged: ${problem}.`);
    const version = bytes.readUInt32LE(8);
    if (version !== VERSION) {
      throw new Fault(
        "FormatTooNew",
        `${path} was written by a newer Millpond (snapshot format ${version}). Use that version.`,
      );
    }
    return bytes.subarray(HEADER_BYTES);
  }

  #header(seq: EntrySeq, payloadBytes: number, payloadCrc: number): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt32LE(VERSION, 8);
    header.writeUInt32LE(this.#shard, 12);
    header.writeDoubleLE(seq, 16);
    header.writeDoubleLE(payloadBytes, 24);
    header.writeUInt32LE(joinedCrc(crc32(header.subarray(8)), payloadCrc, payloadBytes), 4);
    return header;
  }

  #problem(bytes: Buffer, seq: EntrySeq): string | undefined {
    if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return "it does not begin like a snapshot";
    if (crc32(bytes.subarray(8)) !== bytes.readUInt32LE(4)) return "its checksum is wrong";
    if (bytes.readDoubleLE(24) !== bytes.length - HEADER_BYTES) return "it is not as long as it says";
    if (bytes.readDoubleLE(16) !== seq) return "it is not the snapshot that its name says";
    if (bytes.readUInt32LE(12) !== this.#shard) return `it belongs to shard ${bytes.readUInt32LE(12)}`;
    return undefined;
  }

  #path(seq: EntrySeq): string {
    return `${this.#folder}/${snapshotFileName(seq)}`;
  }
}
