// Plays every transcript, with one shard and with four, and compares. `REWRITE_TRANSCRIPTS=1` writes the answers into
// the files instead: commit only differences that you understand.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { playTranscript } from "./transcript.ts";

// The transcripts are text: they stay in the source tree, four levels above the compiled test.
const FOLDER = findFolder();

for (const name of readdirSync(FOLDER)
  .filter((file) => file.endsWith(".txt"))
  .sort()) {
  for (const shardCount of [1, 4]) {
    test(`${name.replace(".txt", "").replaceAll("-", " ")} (${shardCount} ${shardCount === 1 ? "shard" : "shards"})`, async () => {
      const path = `${FOLDER}/${name}`;
      const expected = readFileSync(path, "utf8");
      const played = await playTranscript(expected, shardCount);
      if (process.env.REWRITE_TRANSCRIPTS === "1") writeFileSync(path, played);
      else assert.equal(played, expected);
    });
  }
}

function findFolder(): string {
  let at = new URL(".", import.meta.url);
  for (let up = 0; up < 8; up++, at = new URL("../", at)) {
    const folder = new URL("tests/scenarios/", at);
    try {
      if (readdirSync(folder).some((file) => file.endsWith(".txt"))) return folder.pathname.replace(/\/$/, "");
    } catch {
      // Not here: one level up.
    }
  }
  throw new Error("the transcripts are not above this test");
}
