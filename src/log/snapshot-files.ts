// Snapshots as files beside the segments: written aside, synced, renamed, so that a name always stands for a whole
// snapshot. The newest two are kept: if one turns out damaged, the older one and the log behind it still recover.
//
//   magic u32 | crc32 u32 over the rest | version u32 | shard u32 | seq f64 | payload bytes f64 | payload

import { crc32 } from "node:zlib";
import { Fault } from "../base/fault.ts";
import type { Disk } from "./disk.ts";
import type { EntrySeq, SnapshotRef, SnapshotStore } from "./log.ts";

const MAGIC = 0x314e_5053; // "SPN1"
const VERSION = 1;
const HEADER_BYTES = 32;
const KEPT = 2;
const NAME = /^snapshot-(\d{20})\.mps$/;

/** `tidy: false` only looks, beside a server that may be writing one. */
export async function openSnapshotFiles(
  disk: Disk,
  folder: string,
  shard: number,
  tidy = true,
): Promise<SnapshotStore> {
  if (tidy) for (const name of await disk.list(folder)) if (name.endsWith(".mps.new")) await disk.remove(`${folder}/${name}`);
  return new SnapshotFiles(disk, folder, shard);
}

class SnapshotFiles implements SnapshotStore {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #shard: number;

  constructor(disk: Disk, folder: string, shard: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#shard = shard;
  }

  async put(seq: EntrySeq, chunks: Iterable<Uint8Array>): Promise<SnapshotRef> {
    const path = this.#path(seq);
    const aside = `${path}.new`;
    const file = await this.#disk.open(aside, "create");
    let bytes = 0;
    try {
      let crc = 0;
      for (const chunk of chunks) {
        await file.write([chunk], HEADER_BYTES + bytes);
        crc = crc32(chunk, crc);
        bytes += chunk.length;
      }
      await file.write([this.#header(seq, bytes, crc)], 0);
      await file.datasync();
      await file.close();
    } catch (error) {
      await file.close().catch(() => undefined);
      await this.#disk.remove(aside).catch(() => undefined);
      throw error;
    }
    await this.#disk.rename(aside, path);
    await this.#disk.syncFolder(this.#folder);
    for (const old of (await this.#seqs()).slice(KEPT)) await this.#disk.remove(this.#path(old));
    return { seq, bytes: HEADER_BYTES + bytes };
  }

  async list(): Promise<SnapshotRef[]> {
    const refs: SnapshotRef[] = [];
    for (const seq of await this.#seqs()) {
      const file = await this.#disk.open(this.#path(seq), "read");
      refs.push({ seq, bytes: await file.size() });
      await file.close();
    }
    return refs;
  }

  async get(ref: SnapshotRef): Promise<Uint8Array> {
    const path = this.#path(ref.seq);
    const file = await this.#disk.open(path, "read");
    try {
      const bytes = Buffer.allocUnsafeSlow(await file.size());
      const read = await file.read(bytes, 0);
      const problem = read < bytes.length ? "it is shorter than its size says" : this.#problem(bytes, ref.seq);
      if (problem === undefined) return bytes.subarray(HEADER_BYTES);
      throw new Fault("LogDamaged", `${path} is damaged: ${problem}.`);
    } finally {
      await file.close();
    }
  }

  #header(seq: EntrySeq, bytes: number, payloadCrc: number): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt32LE(VERSION, 8);
    header.writeUInt32LE(this.#shard, 12);
    header.writeDoubleLE(seq, 16);
    header.writeDoubleLE(bytes, 24);
    header.writeUInt32LE(crc32(header.subarray(8), payloadCrc), 4);
    return header;
  }

  #problem(bytes: Buffer, seq: EntrySeq): string | undefined {
    if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return "it does not begin like a snapshot";
    const payload = bytes.subarray(HEADER_BYTES);
    const isSound = crc32(bytes.subarray(8, HEADER_BYTES), crc32(payload)) === bytes.readUInt32LE(4);
    if (!isSound || bytes.readDoubleLE(24) !== payload.length) return "its checksum is wrong";
    if (bytes.readDoubleLE(16) !== seq) return "it is not the snapshot that its name says";
    if (bytes.readUInt32LE(12) !== this.#shard) return `it belongs to shard ${bytes.readUInt32LE(12)}`;
    return undefined;
  }

  /** Newest first. */
  async #seqs(): Promise<EntrySeq[]> {
    const names = await this.#disk.list(this.#folder);
    return names
      .map((name) => NAME.exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .map(Number)
      .sort((a, b) => b - a);
  }

  #path(seq: EntrySeq): string {
    return `${this.#folder}/snapshot-${String(seq).padStart(20, "0")}.mps`;
  }
}
