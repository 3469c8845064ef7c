// Notices that a function's code changed on disk. Watches the folders around the file (not below node_modules and the
// like) rather than the file: editors replace files instead of writing into them, and what the file imports counts too.

import type { FSWatcher } from "node:fs";
import { readdirSync, statSync, watch } from "node:fs";
import { dirname, extname, join } from "node:path";

export interface CodeWatch {
  close(): void;
}

const CODE = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".json"]);
const SKIPPED = new Set(["node_modules", "__pycache__", "dist", "venv"]);
/** A folder with more below it is no function's; what is beyond is not watched. */
const FOLDERS_MAX = 500;
/** An editor's save is several events, and a checkout many. */
const QUIET_MS = 50;

/** Calls `changed` after the last of a burst of changes. */
export function watchCode(path: string, changed: () => void): CodeWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, QUIET_MS);
  };
  const onEvent = (folder: string, name: string | null) => {
    if (name === null) return report();
    if (CODE.has(extname(name))) return report();
    if (isWatchedFolder(join(folder, name), name)) addTree(join(folder, name));
  };
  const addTree = (root: string) => {
    for (const folder of foldersBelow(root, FOLDERS_MAX - watchers.size)) {
      if (watchers.has(folder)) continue;
      watchFolder(folder);
    }
  };
  const watchFolder = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => onEvent(folder, name));
      watchers.set(folder, watcher);
      // A folder that goes away takes its watch along; should it come back, its parent notices.
      watcher.on("error", () => forget(folder));
    } catch {
      // Gone again, or the system has no watches left: it runs without reloading from there.
    }
  };
  const forget = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  addTree(dirname(path));
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function foldersBelow(root: string, countMax: number): string[] {
  const found = [root];
  for (let at = 0; at < found.length; at++) {
    const folder = found[at] as string;
    for (const name of namesIn(folder)) {
      if (found.length >= countMax) return found.slice(0, Math.max(0, countMax));
      if (isWatchedFolder(join(folder, name), name)) found.push(join(folder, name));
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

function isWatchedFolder(path: string, name: string): boolean {
  if (name.startsWith(".") || SKIPPED.has(name)) return false;
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
