// What happened, line by line: hashed always, so that two runs of one seed can be compared, and kept when somebody is
// going to read it. A violation is a broken promise: it ends the run.

import { createHash } from "node:crypto";

export class Violation extends Error {
  /** Which promise, in a few words that stay the same: a shorter history must break the same one. */
  readonly promise: string;

  constructor(promise: string, details: string) {
    super(`${promise}: ${details}`);
    this.name = "Violation";
    this.promise = promise;
  }
}

export class Trace {
  readonly #hash = createHash("sha256");
  readonly lines: string[] = [];
  readonly #keeps: boolean;

  constructor(keeps: boolean) {
    this.#keeps = keeps;
  }

  add(line: string): void {
    this.#hash.update(line);
    this.#hash.update("\n");
    if (this.#keeps) this.lines.push(line);
  }

  digest(): string {
    return this.#hash.copy().digest("hex").slice(0, 16);
  }
}
