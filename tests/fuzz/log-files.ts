// A data folder as bytes, for tests that damage it: written once by the real log on a disk in memory, then laid out
// anew for each input, with what was written known entry by entry.

import { Random } from "../../src/base/random.ts";
import { type DataFolder, openDataFolder } from "../../src/log/data-folder.ts";
import { TestDisk } from "../../src/log/test-disk.ts";

export const FOLDER = "/data";
export const SHARD_FOLDER = `${FOLDER}/shards/0000`;
const OPTIONS = { shardCount: 1, durability: "fsync" as const, segmentBytesMax: 4096 };
const STAMP = { epoch: 1, ownerTimeMs: 1_700_000_000_000, factCount: 1 };

export interface LogImage {
  files: Map<string, Buffer>;
  /** What entry `index + 1` holds. */
  bodies: string[];
  snapshots: Map<number, string>;
  /** A closed log is sealed: all of it is vouched for. */
  isClosed: boolean;
}

export function openFolder(disk: TestDisk): Promise<DataFolder> {
  return openDataFolder(FOLDER, OPTIONS, disk);
}

/** With snapshots in between when `snapshotEvery` is not 0. */
export async function writeImage(
  seed: number,
  isClosed: boolean,
  entryCount: number,
  snapshotEvery: number,
): Promise<LogImage> {
  const random = new Random(seed);
  const disk = new TestDisk(random.fork());
  const folder = await openFolder(disk);
  const { log, snapshots } = await folder.shardStorage(0);
  const bodies: string[] = [];
  const written = new Map<number, string>();
  while (bodies.length < entryCount) {
    const body = `${bodies.length + 1}:`.padEnd(random.pick([3, 8, 20, 200, 900]), "~");
    await log.append(Buffer.from(body), bodies.length, STAMP);
    bodies.push(body);
    if (snapshotEvery === 0 || bodies.length % snapshotEvery !== 0) continue;
    const text = `snapshot of ${bodies.length}`.padEnd(100, "=");
    await snapshots.put(bodies.length, [Buffer.from(text)]);
    written.set(bodies.length, text);
  }
  if (isClosed) {
    await log.close();
    await folder.close();
  } else disk.kill();
  const files = new Map<string, Buffer>();
  for (const path of await filesOf(disk)) files.set(path, Buffer.from(disk.contents(path)));
  return { files, bodies, snapshots: written, isClosed };
}

/** A disk that holds these files, as if they had been there for long. */
export async function layOut(files: ReadonlyMap<string, Uint8Array>): Promise<TestDisk> {
  const disk = new TestDisk(new Random(1));
  await disk.makeFolder(SHARD_FOLDER);
  for (const [path, bytes] of files) {
    const file = await disk.open(path, "create");
    await file.write([bytes], 0);
    await file.datasync();
    await file.close();
  }
  await disk.syncFolder(FOLDER);
  await disk.syncFolder(SHARD_FOLDER);
  return disk;
}

async function filesOf(disk: TestDisk): Promise<string[]> {
  const paths = (await disk.list(FOLDER)).filter((name) => name.endsWith(".json")).map((name) => `${FOLDER}/${name}`);
  return [...paths, ...(await disk.list(SHARD_FOLDER)).map((name) => `${SHARD_FOLDER}/${name}`)];
}
