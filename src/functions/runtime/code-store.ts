// Uploaded code, unpacked: one folder for each archive, named by the archive's SHA-256, so that the same code is there
// once and a folder never changes. An archive is hostile until shown otherwise: no entry may lead out of its folder, by
// name or through a link, and what it unpacks to is bounded before anything is written.

import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import { FUNCTION_CODE_BYTES_MAX } from "../../engine/function-limits.ts";
import type { ZipEntry } from "./zip-reader.ts";
import { readZip, ZipDamaged } from "./zip-reader.ts";

export interface UnpackedCode {
  /** In base64, as CodeSha256 has it. */
  sha256: string;
  folder: string;
  /** Of the archive: CodeSize. */
  bytes: number;
}

export type UnpackProblem =
  | { kind: "TooLarge"; unpackedBytes: number; bytesMax: number }
  | { kind: "NotAZip"; reason: string }
  /** An entry that would be written elsewhere. */
  | { kind: "UnsafePath"; path: string };

/** More files than any package has; each costs an inode whatever its size. */
const ENTRIES_MAX = 65_535;
const LINK_BYTES_MAX = 4096;
/** What an archive that names one thing twice runs into: a file here and a folder or link there. */
const CONTRADICTIONS = ["EEXIST", "ENOTDIR", "EISDIR"];

export class CodeStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Where the code of an archive is, or would be. */
  folderOf(sha256: string): string {
    return join(this.#root, Buffer.from(sha256, "base64").toString("hex"));
  }

  /**
   * The folder is whole once it has its name, whatever the server dies of in between. Nothing is synced: after a power
   * cut, `remove` and `put` again. Rejects when the disk fails.
   */
  async put(archive: Uint8Array): Promise<Result<UnpackedCode, UnpackProblem>> {
    const sha256 = createHash("sha256").update(archive).digest("base64");
    const folder = this.folderOf(sha256);
    const code = { sha256, folder, bytes: archive.length };
    if (existsSync(folder)) return accept(code);
    const draft = join(this.#root, `.unpacking-${randomBytes(8).toString("hex")}`);
    try {
      await this.#fence();
      const problem = await unpack(archive, draft);
      if (problem !== undefined) return refuse(problem);
      await rename(draft, folder).catch((error) => {
        // Somebody else unpacked the same in the meantime.
        if (!existsSync(folder)) throw error;
      });
      return accept(code);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  /**
   * Node asks the folders above which kind of module a `.js` file is, and the data folder may lie in somebody's project.
   * The question ends here, with the answer that a function gets on AWS: CommonJS, unless its own archive says otherwise.
   */
  async #fence(): Promise<void> {
    await mkdir(this.#root, { recursive: true });
    await writeFile(join(this.#root, "package.json"), "{}\n");
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.folderOf(sha256), { recursive: true, force: true });
  }
}

async function unpack(archive: Uint8Array, folder: string): Promise<UnpackProblem | undefined> {
  try {
    const entries = readZip(archive);
    const problem = problemOf(entries);
    if (problem !== undefined) return problem;
    await mkdir(folder, { recursive: true });
    return await write(entries, folder);
  } catch (error) {
    if (error instanceof ZipDamaged) return { kind: "NotAZip", reason: error.message };
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (CONTRADICTIONS.includes(code))
      return { kind: "NotAZip", reason: `its entries contradict each other: ${message}` };
    throw error;
  }
}

function problemOf(entries: readonly ZipEntry[]): UnpackProblem | undefined {
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (unpackedBytes > FUNCTION_CODE_BYTES_MAX)
    return { kind: "TooLarge", unpackedBytes, bytesMax: FUNCTION_CODE_BYTES_MAX };
  if (entries.length > ENTRIES_MAX) return { kind: "NotAZip", reason: `it has more than ${ENTRIES_MAX} entries` };
  const links = new Set(entries.filter((entry) => entry.isLink).map((entry) => entry.path));
  for (const { path } of entries) {
    // What lies below a link would be written to wherever the link leads.
    if (!isPlainPath(path) || foldersOf(path).some((folder) => links.has(folder))) return { kind: "UnsafePath", path };
  }
  return undefined;
}

/** Relative, and only ever downwards. */
function isPlainPath(path: string): boolean {
  const parts = path.replace(/\/$/, "").split("/");
  if (/[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return parts.every((part) => part !== "" && part !== "." && part !== "..");
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

async function write(entries: readonly ZipEntry[], folder: string): Promise<UnpackProblem | undefined> {
  for (const entry of entries) {
    const path = join(folder, entry.path);
    if (entry.isFolder) await mkdir(path, { recursive: true });
    else if (!entry.isLink) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, await entry.read(), { mode: entry.isExecutable ? 0o755 : 0o644 });
    }
  }
  // Last, so that nothing is ever written through one.
  for (const entry of entries.filter(({ isLink }) => isLink)) {
    if (entry.bytes > LINK_BYTES_MAX) return { kind: "UnsafePath", path: entry.path };
    const target = (await entry.read()).toString();
    if (!staysInside(entry.path, target)) return { kind: "UnsafePath", path: `${entry.path} -> ${target}` };
    const path = join(folder, entry.path);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }
  return undefined;
}

/**
 * Up from the link's own folder, never above the top, then only down: `a/../../b` is refused even where it would stay
 * inside, since `a` may itself be a link.
 */
function staysInside(linkPath: string, target: string): boolean {
  const [ups = ""] = /^(?:\.\.(?:\/|$))*/.exec(target) ?? [];
  const upCount = ups === "" ? 0 : ups.replace(/\/$/, "").split("/").length;
  if (upCount > foldersOf(linkPath).length) return false;
  const rest = target.slice(ups.length).replace(/^\.\//, "");
  return rest === "" ? upCount > 0 : isPlainPath(rest);
}
