import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeZip, type ZipFile } from "../../../tests/functions/make-zip.ts";
import { CodeStore } from "./code-store.ts";

const root = mkdtempSync(join(tmpdir(), "millpond-code-"));
after(() => rmSync(root, { recursive: true, force: true }));
const store = new CodeStore(join(root, "code"));

async function problemOf(files: readonly ZipFile[]): Promise<unknown> {
  const unpacked = await store.put(makeZip(files));
  return unpacked.ok ? "unpacked" : unpacked.refusal;
}

test("files, modes and links come out as they went in, in a folder named for the archive", async () => {
  const zip = makeZip([
    { path: "bin/", text: "" },
    { path: "bin/tool", text: "#!/bin/sh\n", isExecutable: true },
    { path: "deep/er/data.txt", text: "ü".repeat(10_000) },
    { path: "deep/link", linkTo: "../bin/tool" },
  ]);
  const unpacked = await store.put(zip);
  assert.ok(unpacked.ok);
  const { folder, sha256, bytes } = unpacked.value;
  assert.equal(folder, store.folderOf(sha256));
  assert.equal(bytes, zip.length);
  assert.equal(readFileSync(join(folder, "deep/er/data.txt"), "utf8"), "ü".repeat(10_000));
  assert.equal(statSync(join(folder, "bin/tool")).mode & 0o111, 0o111);
  assert.equal(readlinkSync(join(folder, "deep/link")), "../bin/tool");
  assert.deepEqual(await store.put(zip), unpacked, "the same again is the same folder");
  await store.remove(sha256);
  assert.equal(existsSync(folder), false);
});

test("no entry leads out of its folder", async () => {
  for (const path of ["../evil", "a/../../evil", "/etc/evil", "a\\..\\evil", "C:/evil", "a//b", "./a", "a/./b", ".."]) {
    assert.deepEqual(await problemOf([{ path, text: "x" }]), { kind: "UnsafePath", path }, path);
  }
  assert.equal(existsSync(join(root, "evil")), false);
});

test("no link leads out of its folder, nor is anything written through one", async () => {
  for (const linkTo of ["/etc/passwd", "..", "../..", "a/../..", "../a/../../b", "", "."]) {
    assert.deepEqual(
      await problemOf([{ path: "link", linkTo }]),
      { kind: "UnsafePath", path: `link -> ${linkTo}` },
      linkTo,
    );
  }
  const through = [
    { path: "link", linkTo: "real" },
    { path: "link/file", text: "x" },
  ];
  assert.deepEqual(await problemOf(through), { kind: "UnsafePath", path: "link/file" });
  assert.equal(await problemOf([{ path: "a/link", linkTo: ".." }]), "unpacked", "its own top is inside");
});

test("what an archive unpacks to is bounded, whether it says so or not", async () => {
  const honest = await problemOf([{ path: "big", text: "x", claimedBytes: 262_144_001 }]);
  assert.deepEqual(honest, { kind: "TooLarge", unpackedBytes: 262_144_001, bytesMax: 262_144_000 });
  const bomb = await problemOf([{ path: "bomb", text: "0".repeat(5_000_000), claimedBytes: 10 }]);
  assert.match(JSON.stringify(bomb), /NotAZip.*bomb cannot be unpacked/);
});

test("what is no zip, or a damaged one, is refused and leaves nothing behind", async () => {
  const good = makeZip([{ path: "a", text: "hello hello hello" }]);
  for (let length = 0; length < good.length; length++) {
    const cut = await store.put(good.subarray(0, length));
    assert.equal(cut.ok, false, `cut to ${length} bytes`);
  }
  assert.match(
    JSON.stringify(await problemOf([{ path: "a", text: "x", claimedChecksum: 1 }])),
    /does not have its checksum/,
  );
  assert.match(JSON.stringify(await problemOf([{ path: "a", text: "xy", claimedBytes: 3, stored: true }])), /NotAZip/);
  const twice = [
    { path: "a", text: "x" },
    { path: "a/b", text: "y" },
  ];
  assert.match(JSON.stringify(await problemOf(twice)), /contradict each other/);
  assert.deepEqual(
    readdirSync(join(root, "code")).filter((name) => name.startsWith(".")),
    [],
  );
});

test("an archive with any byte changed is refused or unpacked, and never a crash", async () => {
  const good = makeZip([
    { path: "a", text: "hello" },
    { path: "b", linkTo: "a" },
  ]);
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad[at] = (bad[at] as number) ^ 0xff;
    await store.put(bad);
  }
});
