// Chooses where the log lives by the settings: a data folder on disk, or memory. The server sees one shape.

import type { Settings } from "../config/index.ts";
import type { ShardStorage } from "../log/index.ts";
import { openDataFolder, openMemoryStorage } from "../log/index.ts";

export interface OpenStorage {
  /** What the storage was created with wins over the setting: queues are placed by it. */
  shardCount: number;
  notes: string[];
  /** The data folder; undefined: nothing is kept. */
  folder: string | undefined;
  openShard: (shard: number) => Promise<ShardStorage>;
  /** Tells whoever finds the folder in use where this server answers. */
  describe(endpoint: string): void;
  close(): Promise<void>;
}

export async function openStorage(settings: Settings): Promise<OpenStorage> {
  if (settings.memory) return memory(settings.shards);
  const folder = await openDataFolder(settings.data, {
    shardCount: settings.shards,
    durability: settings.durability,
    segmentBytesMax: settings.segmentBytesMax,
  });
  return {
    shardCount: folder.shardCount,
    notes: folder.notes,
    folder: folder.path,
    openShard: (shard) => folder.shardStorage(shard),
    describe: (endpoint) => folder.describe(endpoint),
    close: () => folder.close(),
  };
}

function memory(shardCount: number): OpenStorage {
  return {
    shardCount,
    notes: [],
    folder: undefined,
    openShard: async () => openMemoryStorage(),
    describe: () => {},
    close: async () => {},
  };
}
