// Hours of ordinary life in one command: npm run soak -- --minutes N [--restart-seconds S] [--shards N] [--seed N]
//
// A server in its own process under mixed load, stopped and killed in turn, watched from outside. Ends with a report
// and a plot in tests/soak/out, and with exit code 1 when something grew without end, an answer was not expected, or
// the log is not sound afterwards.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sleep, World } from "../crash/world.ts";
import { projectRoot } from "../support/project.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { runMillpond } from "../support/server-process.ts";
import { Load } from "./load.ts";
import { Meter } from "./meter.ts";
import { type Interval, pageOf, plotOf, type Soak } from "./report.ts";
import { judge } from "./verdict.ts";
import { usageOf } from "./watch.ts";

const MiB = 1024 * 1024;
const INTERVAL_MS = 2000;
const SEGMENT_MIB = 16;
/** The log is cleaned after the first minute or so; the thirds of a run say something when they are longer than that. */
const LONG_MINUTES = 4;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    "restart-seconds": { type: "string", default: "60" },
    shards: { type: "string", default: "1" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const minutes = Number(values.minutes);
const restartMs = Number(values["restart-seconds"]) * 1000;
const seed = Number(values.seed);
const shards = Number(values.shards);
if (!(minutes > 0 && restartMs > 0 && Number.isInteger(seed) && Number.isInteger(shards) && shards > 0)) {
  console.error("--minutes and --restart-seconds take numbers above 0, --seed and --shards whole numbers.");
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), "millpond-soak-"));
const data = join(scratch, "data");
const out = join(projectRoot, "tests", "soak", "out");
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const meter = new Meter();
const world = new World([
  "--data",
  data,
  "--segment-bytes-max",
  `${SEGMENT_MIB}MiB`,
  "--shards",
  values.shards,
  "--log-level",
  "warn",
]);
const load = new Load(world, meter, seededRandom(seed));
const soak: Soak = {
  seed,
  minutes,
  shards,
  intervals: [],
  restarts: [],
  counts: meter.counts,
  lostCount: 0,
  judged: [],
  findings: [],
};

console.log(`Soaking for ${minutes} minutes, seed ${seed}.`);
await world.start();
await load.createQueues();
const startedAtMs = performance.now();
const endAtMs = startedAtMs + minutes * 60_000;
const watching = setInterval(() => soak.intervals.push(look()), INTERVAL_MS);
const loading = load.run();
await Promise.race([restartUntilTheEnd(), loading]);
clearInterval(watching);
load.stop();
await loading;

const { code, stderr } = await world.terminate();
const verified = await runMillpond(["log", "verify", "--data", data]).ended;
soak.lostCount = meter.lostCount;
if (code !== 0) soak.findings.push(`the server ended with code ${code}: ${stderr.slice(-500)}`);
if (verified.code !== 0) soak.findings.push(`the log is not sound: ${verified.stdout.slice(-500)}`);
for (const [text, count] of meter.surprises) soak.findings.push(`${count} times: ${text}`);
judgeAll();

mkdirSync(out, { recursive: true });
const page = pageOf(soak);
writeFileSync(join(out, "soak.md"), page);
writeFileSync(join(out, "soak.svg"), plotOf(soak));
console.log(page.split("![")[0]);
console.log(`The report is ${join(out, "soak.md")}.`);
process.exit(soak.findings.length === 0 && soak.judged.every(({ isBounded }) => isBounded) ? 0 : 1);

function look(): Interval {
  const atSeconds = (performance.now() - startedAtMs) / 1000;
  const { pid } = world;
  return { atSeconds, usage: pid === undefined ? undefined : usageOf(pid, data), latencies: meter.take() };
}

/** By turns as an operator would stop it, and as a power cut would. */
async function restartUntilTheEnd(): Promise<void> {
  for (let count = 0; ; count++) {
    const leftMs = endAtMs - performance.now();
    await sleep(Math.min(restartMs, leftMs));
    // The last stretch is for the server to calm down in.
    if (endAtMs - performance.now() < restartMs / 2) break;
    const how = count % 2 === 0 ? "SIGTERM" : "SIGKILL";
    const wentDownAtMs = performance.now();
    if (how === "SIGTERM") {
      const { code: endedWith, stderr: said } = await world.terminate();
      if (endedWith !== 0) soak.findings.push(`SIGTERM ended with code ${endedWith}: ${said.slice(-500)}`);
    } else await world.kill();
    await world.start();
    const atSeconds = (wentDownAtMs - startedAtMs) / 1000;
    soak.restarts.push({ atSeconds, how, downMs: performance.now() - wentDownAtMs });
  }
  await sleep(Math.max(0, endAtMs - performance.now()));
}

/** Room that the log may take: what lives in it several times over, two snapshots' worth of new entries, spares. */
function judgeAll(): void {
  const usages = soak.intervals.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const isLongEnough = minutes >= LONG_MINUTES;
  soak.judged = [
    judge(
      { name: "resident memory", unit: "MiB", limit: 400, slack: 32 },
      usages.map(({ residentBytes }) => residentBytes / MiB),
      isLongEnough,
    ),
    judge(
      { name: "data folder", unit: "MiB", limit: 100 + shards * 400, slack: 2 * SEGMENT_MIB * shards },
      usages.map(({ diskBytes }) => diskBytes / MiB),
      isLongEnough,
    ),
    judge(
      { name: "open files and sockets", unit: "count", limit: 150 + shards * 30, slack: 8 },
      usages.map(({ fileHandles }) => fileHandles),
      isLongEnough,
    ),
  ];
}
