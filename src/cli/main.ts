#!/usr/bin/env node
// The process around the command line: streams, signals and the exit code.

import { text } from "node:stream/consumers";
import { processEnvironment } from "../config/index.ts";
import { EXIT } from "./exit-codes.ts";
import type { Stream } from "./run.ts";
import { run } from "./run.ts";

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // The first asks to finish; whoever asks twice means now.
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    interruption.abort();
  });
}

process.exitCode = await run(process.argv.slice(2), {
  environment: processEnvironment(),
  out: streamOf(process.stdout),
  err: streamOf(process.stderr),
  readInput: () => text(process.stdin),
  interrupted: interruption.signal,
});

function streamOf(stream: NodeJS.WriteStream): Stream {
  // `millpond queue peek orders --json | head` closes the pipe early, which is no error.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return { write: (chunk) => void stream.write(chunk), isTerminal: stream.isTTY === true, columns: stream.columns };
}
