// A server that can be measured: Millpond, a peer, or the echo.

import type { Protocol } from "../load/sqs-protocol.ts";

export interface Subject {
  name: string;
  /** What a send does before it is answered, and how that was established. */
  onSend: string;
  protocols: readonly Protocol[];
  /** Puts the program into place, with its own ecosystem's installer. Throws when it cannot be had. */
  install?(): void;
  isInstalled?(): boolean;
  /** How to run it, listening on loopback. `dataFolder` is empty and its own. */
  commandFor(port: number, dataFolder: string): Command;
  /** Whether an answer to ListQueues says that it serves; the echo answers anything. */
  isEcho?: boolean;
}

export interface Command {
  program: string;
  args: string[];
  env?: Record<string, string>;
}
