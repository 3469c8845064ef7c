import assert from "node:assert/strict";
import { test } from "node:test";
import { isFault } from "../base/fault.ts";
import { Random } from "../base/random.ts";
import { readWhole } from "./disk.ts";
import { TestDisk } from "./test-disk.ts";

async function diskWithFile(seed: number): Promise<TestDisk> {
  const disk = new TestDisk(new Random(seed));
  await disk.makeFolder("/a");
  const file = await disk.open("/a/file", "create");
  await file.write([Buffer.from("synced")], 0);
  await file.datasync();
  await disk.syncFolder("/a");
  return disk;
}

async function outcomes(act: (disk: TestDisk) => Promise<unknown>): Promise<Set<string>> {
  const found = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const disk = await diskWithFile(seed);
    await act(disk).catch(() => undefined);
    disk.powerCut();
    const names = (await disk.list("/a")).sort();
    const texts = await Promise.all(names.map(async (name) => `${name}=${await readWhole(disk, `/a/${name}`)}`));
    found.add(texts.join(" "));
  }
  return found;
}

test("what was synced survives a power cut, whatever comes after it", async () => {
  assert.deepEqual(await outcomes(async () => undefined), new Set(["file=synced"]));
});

test("an unsynced write is kept, lost or torn", async () => {
  const found = await outcomes(async (disk) => (await disk.open("/a/file", "write")).write([Buffer.from("SYNCED")], 0));
  for (const text of ["file=synced", "file=SYNCED", "file=SYNced", "file=synCED"]) assert.ok(found.has(text), text);
  for (const text of found) assert.equal(text.toLowerCase(), "file=synced");
});

test("names that were not synced are old or new, and never anything else", async () => {
  assert.deepEqual(
    await outcomes((disk) => disk.rename("/a/file", "/a/other")),
    new Set(["file=synced", "other=synced"]),
  );
  assert.deepEqual(await outcomes((disk) => disk.remove("/a/file")), new Set(["", "file=synced"]));
});

test("what a failed sync covered is readable, and another sync does not make it durable", async () => {
  let readable = "";
  const found = await outcomes(async (disk) => {
    const file = await disk.open("/a/file", "write");
    await file.write([Buffer.from("SYNCED")], 0);
    disk.failNth("sync", 1);
    await assert.rejects(file.datasync(), (error) => isFault(error, "DiskFailed"));
    await file.datasync();
    readable = (await readWhole(disk, "/a/file")).toString();
  });
  assert.equal(readable, "SYNCED");
  assert.ok(found.has("file=synced"));
});

test("a full disk takes what fits, says so, and takes more when there is room again", async () => {
  const disk = await diskWithFile(1);
  disk.bytesMax = 10;
  const file = await disk.open("/a/file", "write");
  await assert.rejects(file.write([Buffer.from("0123456789abc")], 0), (error) => isFault(error, "DiskFull"));
  assert.equal(await file.size(), 10);
  await file.write([Buffer.from("in place")], 0);
  disk.bytesMax = 20;
  await file.write([Buffer.from("abc")], 10);
});

test("files opened before a power cut or a kill are dead", async () => {
  const disk = await diskWithFile(1);
  const file = await disk.open("/a/file", "write");
  disk.kill();
  await assert.rejects(file.write([Buffer.from("x")], 0), (error) => isFault(error, "DiskFailed"));
});
