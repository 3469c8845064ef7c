// Now and then a sync of a file returns at once and does nothing.

import type { DiskFile } from "../../src/log/index.ts";
import type { PlantedFault } from "./planted-fault.ts";

const SHARE = 0.1;

export const skipASync: PlantedFault = {
  name: "skip-a-sync",
  disk(disk, random) {
    const open = async (path: string, mode: "read" | "write" | "create"): Promise<DiskFile> => {
      const file = await disk.open(path, mode);
      const datasync = async () => {
        if (!random.chance(SHARE)) await file.datasync();
      };
      return { ...file, datasync };
    };
    return {
      open,
      rename: (from, to) => disk.rename(from, to),
      remove: (path) => disk.remove(path),
      makeFolder: (path) => disk.makeFolder(path),
      list: (path) => disk.list(path),
      syncFolder: (path) => disk.syncFolder(path),
      lock: (path) => disk.lock(path),
    };
  },
};
