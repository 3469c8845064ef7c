// Uploaded code, kept for good as the archives that came, and unpacked for running. An archive is synced before it has
// its name, so what has a name is whole after a power cut; what is unpacked is not, and is made anew by each server.
//
//   FOLDER/{SHA-256 in hex}.zip     kept
//   FOLDER/unpacked/                the runtime's; emptied at start

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "../../base/fault.ts";
import { accept, type Result, refuse } from "../../base/result.ts";
import { type Refusal, refusal } from "../../engine/refusal.ts";
import { CodeStore, type UnpackProblem } from "../runtime/index.ts";

interface Opened {
  folder: string;
  store: CodeStore;
}

export class CodeKeeper {
  readonly #folder: string | undefined;
  #opened: Promise<Opened> | undefined;
  /** By digest: where it is unpacked. */
  readonly #unpacked = new Map<string, Promise<string>>();

  /** Without a folder: a temporary one, made when it is needed and removed by `close`. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Resolves when the archive is on disk to stay, and unpacked. Rejects with a Fault when the disk fails. */
  async keep(zip: Uint8Array): Promise<Result<{ sha256: string; bytes: number }, Refusal>> {
    try {
      const { folder, store } = await this.#open();
      const unpacked = await store.put(zip);
      if (!unpacked.ok) return refuse(refusalOf(unpacked.refusal));
      const { sha256, bytes } = unpacked.value;
      await writeForGood(folder, fileName(sha256), zip);
      this.#unpacked.set(sha256, Promise.resolve(unpacked.value.folder));
      return accept({ sha256, bytes });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new Fault(
        code === "ENOSPC" ? "DiskFull" : "DiskFailed",
        `The function's code could not be stored (${message}). Free some space or look at the disk, and send it again.`,
        error,
      );
    }
  }

  /** Where the code is unpacked. Rejects when it is not there or cannot be read. */
  unpacked(sha256: string): Promise<string> {
    let folder = this.#unpacked.get(sha256);
    if (folder === undefined) {
      folder = this.#unpack(sha256);
      this.#unpacked.set(sha256, folder);
      folder.catch(() => this.#unpacked.delete(sha256));
    }
    return folder;
  }

  async archive(sha256: string): Promise<Uint8Array> {
    const { folder } = await this.#open();
    return readFile(join(folder, fileName(sha256)));
  }

  /** Removes what no function refers to any more. Only before the first `keep`. */
  async forgetAllBut(used: ReadonlySet<string>): Promise<void> {
    if (this.#folder === undefined || !existsSync(this.#folder)) return;
    const names = new Set([...used].map(fileName));
    for (const name of await readdir(this.#folder)) {
      if (name.endsWith(".zip") && !names.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined || this.#opened === undefined) return;
    const { folder } = await this.#opened;
    await rm(folder, { recursive: true, force: true });
  }

  #open(): Promise<Opened> {
    this.#opened ??= openFolder(this.#folder);
    return this.#opened;
  }

  async #unpack(sha256: string): Promise<string> {
    const { store } = await this.#open();
    const zip = await this.archive(sha256);
    const unpacked = await store.put(zip);
    if (!unpacked.ok)
      throw new Error(`The archive cannot be unpacked any more: ${refusalOf(unpacked.refusal).message}`);
    if (unpacked.value.sha256 !== sha256) throw new Error("The archive is not the one that was uploaded.");
    return unpacked.value.folder;
  }
}

async function openFolder(given: string | undefined): Promise<Opened> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), "millpond-functions-")));
  const unpacked = join(folder, "unpacked");
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  if (given !== undefined) await syncFolder(dirname(given));
  return { folder, store: new CodeStore(unpacked) };
}

async function writeForGood(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name);
  if (!existsSync(path)) {
    const draft = join(folder, `.${name}-${randomBytes(4).toString("hex")}`);
    const file = await open(draft, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await rename(draft, path);
  }
  // Also when it was there: whoever wrote it may have died before this.
  await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fileName(sha256: string): string {
  return `${Buffer.from(sha256, "base64").toString("hex")}.zip`;
}

function refusalOf(problem: UnpackProblem): Refusal {
  switch (problem.kind) {
    case "TooLarge":
      return invalid(`Unzipped size must be smaller than ${problem.bytesMax} bytes`);
    case "NotAZip":
      return invalid("Could not unzip uploaded file. Please check your file, then try to upload again.");
    case "UnsafePath":
      return invalid(`The uploaded file has an entry that leads out of its folder: ${problem.path}`);
  }
}

function invalid(message: string): Refusal {
  return refusal("InvalidParameterValueException", message);
}
