// Reasons of failed messages on disk: a line of JSON for each batch, in two files of which the older goes when the newer
// is full. Written beside the work and never synced: what a power cut takes is a reason less, and no message.
//
//   FOLDER/failure-reasons.jsonl       written to
//   FOLDER/failure-reasons.old.jsonl   full

import { readFileSync } from "node:fs";
import { appendFile, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FailureReason, ReasonJournal } from "./failure-reasons.ts";

/** Two of them hold more reasons than are kept in memory. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

interface Line extends FailureReason {
  ids: string[];
}

export class ReasonFiles implements ReasonJournal {
  readonly #path: string;
  readonly #oldPath: string;
  readonly #log: (level: "warn", text: string) => void;
  #bytes: number;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #hasWarned = false;

  constructor(folder: string, log: (level: "warn", text: string) => void) {
    this.#path = join(folder, "failure-reasons.jsonl");
    this.#oldPath = join(folder, "failure-reasons.old.jsonl");
    this.#log = log;
    this.#bytes = Buffer.byteLength(readText(this.#path));
  }

  *entries(): Iterable<[string[], FailureReason]> {
    for (const path of [this.#oldPath, this.#path]) {
      for (const text of readText(path).split("\n")) {
        const line = readLine(text);
        if (line === undefined) continue;
        const { ids, ...reason } = line;
        yield [ids, reason];
      }
    }
  }

  append(ids: readonly string[], reason: FailureReason): void {
    if (ids.length === 0) return;
    // A line's end is before it: what a crash tore stays a line by itself.
    this.#waiting.push(`\n${JSON.stringify({ ids, ...reason })}`);
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  /** Never rejects: a disk that fails takes reasons, and says so once. */
  async #write(): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true });
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join("");
        this.#waiting = [];
        if (this.#bytes > FILE_BYTES_MAX) {
          await rename(this.#path, this.#oldPath);
          this.#bytes = 0;
        }
        await appendFile(this.#path, text);
        this.#bytes += Buffer.byteLength(text);
      }
    } catch (error) {
      this.#waiting = [];
      if (!this.#hasWarned) {
        this.#log("warn", `Why messages failed is not kept on disk: ${(error as Error).message}`);
      }
      this.#hasWarned = true;
    } finally {
      this.#writing = undefined;
    }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not there yet, or not to be read: reasons are no reason not to start.
    return "";
  }
}

/** Undefined for what a crash tore. */
function readLine(text: string): Line | undefined {
  if (text === "") return undefined;
  try {
    const line = JSON.parse(text) as Line;
    return Array.isArray(line.ids) ? line : undefined;
  } catch {
    return undefined;
  }
}
