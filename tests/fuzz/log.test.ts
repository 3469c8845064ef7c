// Data folders whose files were damaged: bits flipped, bytes overwritten, inserted, removed, repeated, cut off, files
// swapped or gone. The log either says where the damage is and changes nothing, or opens and gives a prefix of what was
// written; never other data. What it opens it can go on with.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { isFault } from "../../src/base/fault.ts";
import { dumpEntries, type Entry, type ShardStorage, verifyFolder } from "../../src/log/index.ts";
import { fuzz } from "./budget.ts";
import { type Damage, damage, damaged, damages, placeIn } from "./hostile.ts";
import { FOLDER, type LogImage, layOut, openFolder, writeImage } from "./log-files.ts";

const INPUT_MS_MAX = 1000;
const SEAL_END = 128;
const STAMP = { epoch: 2, ownerTimeMs: 1_700_000_000_001, factCount: 1 };

const images: LogImage[] = [];
const outcomes = { reported: 0, prefix: 0, whole: 0 };
before(async () => {
  for (const isClosed of [true, false]) {
    images.push(await writeImage(1, isClosed, 3, 0));
    images.push(await writeImage(2, isClosed, 40, 0));
    images.push(await writeImage(3, isClosed, 60, 7));
  }
});

const imageIndex = fc.nat(5);
const fileIndex = fc.nat(1000);

fuzz(
  "one damage to a closed log is reported with its place, or nothing depended on it",
  0.08,
  fc.tuple(fc.nat(2), fileIndex, damage),
  async ([which, file, given]) => {
    const image = images[which] as LogImage;
    const files = new Map(image.files);
    const path = pathAt(image, file);
    const before = image.files.get(path) as Buffer;
    files.set(path, damaged(before, [given]));
    const kept = await openAndCheck(image, files);
    if (kept === undefined) return;
    // Erasing the seal and the entries behind it at one stroke leaves nothing that knows of them: the limit of one copy.
    const hasLimit = path.endsWith(".mpl") && erasesSealAndMore(before, given);
    if (!hasLimit)
      assert.equal(kept, image.bodies.length, `${path} was damaged, and entries are missing without a word`);
  },
);

const small = damage.filter((given) => given.do === "flip" || given.do === "overwrite");

fuzz(
  "one damage to the log of a killed process is reported, or only the end that nothing vouches for is missing",
  0.06,
  fc.tuple(fc.integer({ min: 3, max: 5 }), fileIndex, small),
  async ([which, file, given]) => {
    const image = images[which] as LogImage;
    const path = pathAt(image, file);
    const files = new Map(image.files).set(path, damaged(image.files.get(path) as Buffer, [given]));
    const kept = await openAndCheck(image, files);
    // Each entry was written when the one before it had been synced, and says so. The damage may touch the last two.
    if (kept !== undefined) assert.ok(kept >= image.bodies.length - 2, `only ${kept} entries are left`);
  },
);

fuzz(
  "a log damaged in many places is reported, or gives a prefix of what was written",
  0.06,
  fc.tuple(imageIndex, fc.array(fc.tuple(fileIndex, damages), { minLength: 1, maxLength: 3 })),
  async ([which, given]) => {
    const image = images[which] as LogImage;
    const files = new Map(image.files);
    for (const [file, each] of given) {
      const path = pathAt(image, file);
      files.set(path, damaged(files.get(path) as Buffer, each));
    }
    await openAndCheck(image, files);
  },
);

fuzz(
  "files that are gone, exchanged or from another log are no other data",
  0.03,
  fc.tuple(imageIndex, imageIndex, fileIndex, fileIndex, fc.constantFrom("gone", "exchanged", "foreign")),
  async ([which, other, first, second, how]) => {
    const image = images[which] as LogImage;
    const files = new Map(image.files);
    const [path, source] = [pathAt(image, first), pathAt(image, second)];
    if (how === "gone") files.delete(path);
    else if (how === "exchanged")
      files.set(path, image.files.get(source) as Buffer).set(source, image.files.get(path) as Buffer);
    else {
      // A segment does not say whose log it belongs to: it is known by its neighbours, and needs some.
      if ([...files.keys()].filter((name) => name.endsWith(".mpl")).length === 1) return;
      const foreign = images[other] as LogImage;
      files.set(path, foreign.files.get(pathAt(foreign, second)) as Buffer);
    }
    await openAndCheck(image, files);
  },
);

test("damage was both reported and survived", (context) => {
  context.diagnostic(JSON.stringify(outcomes));
  assert.ok(outcomes.reported > 0 && outcomes.prefix > 0 && outcomes.whole > 0, JSON.stringify(outcomes));
});

after(() => images.splice(0));

/** How many entries the log still has; undefined when it reported damage instead. */
async function openAndCheck(image: LogImage, files: ReadonlyMap<string, Buffer>): Promise<number | undefined> {
  const startedAtMs = performance.now();
  const kept = await orReport(() => readAll(image, files));
  const tookMs = performance.now() - startedAtMs;
  assert.ok(tookMs < INPUT_MS_MAX, `it took ${Math.round(tookMs)} ms`);
  const problem = await verify(image, files);
  if (kept === undefined) {
    outcomes.reported += 1;
    assert.notEqual(problem, undefined, "what cannot be opened must not be verified as sound");
  } else if (kept === image.bodies.length) outcomes.whole += 1;
  else outcomes.prefix += 1;
  return kept;
}

async function readAll(image: LogImage, files: ReadonlyMap<string, Buffer>): Promise<number> {
  const disk = await layOut(files);
  const folder = await openFolder(disk);
  const storage = await folder.shardStorage(0).catch((error: unknown) => {
    for (const [path, bytes] of files) {
      if (path.endsWith(".mpl"))
        assert.ok(bytes.equals(disk.contents(path)), "damage was reported, yet something changed");
    }
    throw error;
  });
  await checkSnapshots(image, storage);
  const { log } = storage;
  const kept = log.tail();
  const seqs = await checkEntries(image, log.read(log.head()));
  assert.equal(seqs.at(-1) ?? 0, kept);
  if (kept > 0) assert.equal(Buffer.from((await log.readEntry(kept)).payload).toString(), image.bodies[kept - 1]);
  await log.append(Buffer.from("more"), kept, STAMP);
  await log.close();
  await folder.close();
  const again = await openFolder(disk);
  const reopened = await again.shardStorage(0);
  assert.equal(Buffer.from((await reopened.log.readEntry(kept + 1)).payload).toString(), "more");
  await reopened.log.close();
  return kept;
}

/**
 * Segments in the middle may be trimmed, so a segment that is gone leaves a hole and no damage. What stands before a
 * hole is tied to nothing behind it: the owner of a log refuses holes that no snapshot covers (src/host/recovery.ts).
 */
async function checkEntries(image: LogImage, entries: AsyncIterable<Entry>): Promise<number[]> {
  const seqs: number[] = [];
  let bodies: string[] = [];
  for await (const entry of entries) {
    const last = seqs.at(-1) ?? entry.seq - 1;
    assert.ok(entry.seq > last, `entry ${entry.seq} came after ${last}`);
    if (entry.seq !== last + 1) bodies = [];
    bodies.push(Buffer.from(entry.payload).toString());
    seqs.push(entry.seq);
  }
  const end = seqs.at(-1) ?? 0;
  assert.deepEqual(bodies, image.bodies.slice(end - bodies.length, end));
  return seqs;
}

async function checkSnapshots(image: LogImage, { snapshots }: ShardStorage): Promise<void> {
  for (const ref of await snapshots.list()) {
    const text = await orReport(async () => Buffer.from(await snapshots.get(ref)).toString());
    if (text !== undefined) assert.equal(text, image.snapshots.get(ref.seq));
  }
}

/** What the tools say, which do not own the folder: the first problem, or undefined when all is well. */
async function verify(image: LogImage, files: ReadonlyMap<string, Buffer>): Promise<string | undefined> {
  const disk = await layOut(files);
  const dumped = await orReport(async () => {
    await checkEntries(image, dumpEntries(FOLDER, {}, disk));
    return true;
  });
  let problem: string | undefined;
  const verified = await orReport(async () => {
    for await (const file of verifyFolder(FOLDER, disk)) problem ??= file.problem;
    return true;
  });
  if (dumped === undefined || verified === undefined) problem ??= "it is reported as a whole";
  return problem;
}

/** Undefined when it is reported as damage, in words that say where. */
async function orReport<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!isFault(error)) throw error;
    assert.ok(
      ["LogDamaged", "FormatTooNew", "DataFolderForeign"].includes(error.code),
      `${error.code}: ${error.message}`,
    );
    assert.ok(error.message.includes(FOLDER), `the report does not name a file: ${error.message}`);
    return undefined;
  }
}

function pathAt({ files }: LogImage, index: number): string {
  const paths = [...files.keys()].filter((path) => !path.endsWith(".spare"));
  return paths[index % paths.length] as string;
}

/** Does the damage change the seal and everything behind it, too? Inserting and removing moves all that follows. */
function erasesSealAndMore(bytes: Buffer, given: Damage): boolean {
  const at = placeIn(bytes, given.at);
  switch (given.do) {
    case "flip":
    case "cut":
      return false;
    case "overwrite":
      return at < SEAL_END && at + given.bytes.length > SEAL_END;
    case "insert":
    case "remove":
      return at < SEAL_END;
    case "repeat":
      return placeIn(bytes, given.to) < SEAL_END;
  }
}
