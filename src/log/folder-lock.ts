// One process at a time may write to a data folder. The lock must vanish with the process, also when it is killed:
// on Linux and Windows it is a socket name that belongs to the folder (abstract namespace, named pipe), which the
// system takes back at once. Elsewhere a file with the owner's process id serves. `lock.json` tells a human, and the
// error message, who the owner is. Two containers that share a folder do not see each other's locks: don't.

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname } from "node:path";
import { Fault } from "../base/fault.ts";
import { diskFault } from "./disk.ts";

/** In the data folder, while it is locked. */
export const LOCK_INFO = "lock.json";

export interface FolderLock {
  /** Adds the endpoint to what others are told. */
  describe(endpoint: string): void;
  release(): Promise<void>;
}

interface Owner {
  pid: number;
  endpoint?: string;
}

/** Throws a Fault DataFolderInUse naming the owner. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const infoPath = `${folder}/${LOCK_INFO}`;
  const name = socketName(folder);
  const server = name === undefined ? lockByProcessId(folder, infoPath) : await lockBySocket(folder, name, infoPath);
  heldHere.add(folder);
  const owner: Owner = { pid: process.pid };
  tell(infoPath, owner);
  return {
    describe: (endpoint) => tell(infoPath, { ...owner, endpoint }),
    async release() {
      heldHere.delete(folder);
      rmSync(infoPath, { force: true });
      if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Where sockets lock, this file only informs: a full disk must not keep a server from starting. */
function tell(infoPath: string, owner: Owner): void {
  try {
    writeFileSync(infoPath, `${JSON.stringify(owner)}\n`);
  } catch (error) {
    if (socketName(dirname(infoPath)) === undefined) throw diskFault(infoPath, "write", error as NodeJS.ErrnoException);
  }
}

function socketName(folder: string): string | undefined {
  const { dev, ino } = statSync(folder, { bigint: true });
  if (process.platform === "linux") return `\0millpond-${dev}-${ino}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\millpond-${dev}-${ino}`;
  return undefined;
}

function lockBySocket(folder: string, name: string, infoPath: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE" || process.platform === "win32";
      reject(isTaken ? inUse(folder, infoPath) : diskFault(folder, "lock", error));
    });
    server.listen(name, () => {
      // The lock alone must not keep a process alive.
      server.unref();
      resolve(server);
    });
  });
}

const heldHere = new Set<string>();

function lockByProcessId(folder: string, infoPath: string): undefined {
  const owner = readOwner(infoPath);
  const isForeign = owner !== undefined && owner.pid !== process.pid && isAlive(owner.pid);
  if (isForeign || heldHere.has(folder)) throw inUse(folder, infoPath);
  return undefined;
}

function inUse(folder: string, infoPath: string): Fault {
  const owner = readOwner(infoPath);
  const who = owner === undefined ? "another process" : `process ${owner.pid}`;
  const where = owner?.endpoint === undefined ? "" : `, which serves ${owner.endpoint}`;
  return new Fault(
    "DataFolderInUse",
    `The data folder ${folder} is in use by ${who}${where}. Stop it first, or choose another folder with --data.`,
  );
}

function readOwner(infoPath: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(infoPath, "utf8")) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
