// What a process prints, cut into lines and given to the invocation that was running. Lambda frames each invocation
// with START, END and REPORT; the last 4 KiB can be asked for with the answer.

import { FUNCTION_LOG_TAIL_BYTES } from "../../engine/function-limits.ts";

/** Lines of one invocation, of which only the end is kept. */
export class InvocationLog {
  #lines: string[] = [];
  #characters = 0;

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
    if (this.#characters > 8 * FUNCTION_LOG_TAIL_BYTES) this.#forgetStart();
  }

  /** In base64. */
  tail(): string {
    const bytes = Buffer.from(`${this.#lines.join("\n")}\n`);
    return bytes.subarray(Math.max(0, bytes.length - FUNCTION_LOG_TAIL_BYTES)).toString("base64");
  }

  /** A character is at least a byte, so as many characters as the tail has bytes are enough. */
  #forgetStart(): void {
    const joined = this.#lines.join("\n").slice(-FUNCTION_LOG_TAIL_BYTES);
    this.#lines = [joined];
    this.#characters = joined.length + 1;
  }
}

/** A stream's chunks made into lines. `end` gives out a last line that nobody ended. */
export class LineSplitter {
  readonly #line: (text: string) => void;
  #rest = "";

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  write(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#line(line);
    // A program that never ends its line must not fill the memory.
    if (this.#rest.length > LINE_CHARACTERS_MAX) this.end();
  }

  end(): void {
    if (this.#rest === "") return;
    const line = this.#rest;
    this.#rest = "";
    this.#line(line);
  }
}

const LINE_CHARACTERS_MAX = 256 * 1024;

export interface ReportFigures {
  requestId: string;
  durationMs: number;
  billedMs: number;
  memoryMb: number;
  memoryUsedMb: number;
  coldStart: boolean;
  /** Shown for a cold start only. */
  initMs: number;
  error: { reportStatus?: "error" | "timeout"; errorType: string } | undefined;
}

export function startLine(requestId: string, version: string): string {
  return `START RequestId: ${requestId} Version: ${version}`;
}

export function endLine(requestId: string): string {
  return `END RequestId: ${requestId}`;
}

export function reportLine(figures: ReportFigures): string {
  const parts = [
    `REPORT RequestId: ${figures.requestId}`,
    `Duration: ${figures.durationMs.toFixed(2)} ms`,
    `Billed Duration: ${figures.billedMs} ms`,
    `Memory Size: ${figures.memoryMb} MB`,
    `Max Memory Used: ${figures.memoryUsedMb} MB`,
  ];
  if (figures.coldStart) parts.push(`Init Duration: ${figures.initMs.toFixed(2)} ms`);
  const { error } = figures;
  if (error?.reportStatus === "timeout") parts.push("Status: timeout");
  if (error?.reportStatus === "error") parts.push("Status: error", `Error Type: ${error.errorType}`);
  return `${parts.join("\t")}\t`;
}
