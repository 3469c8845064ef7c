import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWalls } from "./check-walls.ts";

function reasons(path: string, ...lines: string[]): string[] {
  return checkWalls([{ path, text: lines.join("\n") }]).map((crossing) => `${crossing.line}: ${crossing.reason}`);
}

test("a planted violation is seen, with its line", () => {
  assert.deepEqual(reasons("engine/decide.ts", "// pure", 'import { readFileSync } from "node:fs";'), [
    "2: node:fs stays out of engine: it goes through a port",
  ]);
  assert.match(reasons("engine/a.ts", "const now = Date.now();")[0] ?? "", /^1: Date in engine/);
  assert.match(reasons("engine/a.ts", "export async function f() {}")[0] ?? "", /async in engine/);
  assert.match(
    reasons("wire/a.ts", 'import type { Host } from "../server/index.ts";')[0] ?? "",
    /wire may not import server/,
  );
  assert.match(reasons("log/a.ts", 'import { x } from "../engine/command.ts";')[0] ?? "", /log may not import engine/);
  assert.match(
    reasons("engine/a.ts", 'import type { Host } from "../host/host.ts";')[0] ?? "",
    /engine may not import host/,
  );
  assert.match(reasons("log/a.ts", 'export * from "node:fs/promises";')[0] ?? "", /stays out of log/);
  assert.match(
    reasons("host/a.ts", 'const x = await import("../wire/index.ts");')[0] ?? "",
    /host may not import wire/,
  );
  assert.match(reasons("server/a.ts", 'import "express";')[0] ?? "", /is a package/);
  assert.match(reasons("server/a.ts", "const port = process.env.PORT;")[0] ?? "", /only config reads/);
});

test("other folders are entered through their doors, except for base and the vocabulary", () => {
  assert.match(reasons("server/a.ts", 'import { Shard } from "../host/shard.ts";')[0] ?? "", /import its door/);
  assert.deepEqual(
    reasons(
      "host/a.ts",
      'import { assert } from "../base/assert.ts";',
      'import type { Command } from "../engine/command.ts";',
      'import { decide } from "../engine/index.ts";',
      'import { crc } from "./crc.ts";',
    ),
    [],
  );
  assert.deepEqual(reasons("wire/a.ts", 'import { refusal } from "../engine/refusal.ts";'), []);
});

test("comments and strings are not code", () => {
  assert.deepEqual(
    reasons(
      "engine/a.ts",
      "// await the Date",
      "/* Promise */",
      'const text = "process.env // Date";',
      "const url = 'http://x';",
    ),
    [],
  );
});

test("the one file that may touch the disk may, and its neighbours may not", () => {
  assert.deepEqual(reasons("log/disk.ts", 'import { open } from "node:fs/promises";'), []);
  assert.equal(reasons("log/segment/writer.ts", 'import { open } from "node:fs/promises";').length, 1);
});

test("a folder that the table does not know is refused", () => {
  assert.match(reasons("plugins/a.ts", "")[0] ?? "", /not in the table of walls/);
});

test("an optional peer is for the one file that adapts it", () => {
  const line = 'const sdk = await import("@aws-sdk/client-sqs");';
  assert.deepEqual(reasons("consumer/aws-client.ts", line), []);
  assert.match(reasons("consumer/producer.ts", line)[0] ?? "", /is a package/);
});
