// The flash sale with workers of its own: `millpond work` starts as many as the backlog needs, at most the eight that the
// database can stand at 25 writes a second each, and lets them go when it is calm again. Real processes in real time.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { producer } from "millpond/consumer";
import { depth, freshQueue, type Stage, sleep } from "../stage.ts";

const WRITES_PER_SECOND = 200;
const WORKERS_MAX = 8;
const NORMAL_PER_SECOND = 20;
const BURST = 20 * NORMAL_PER_SECOND;
/** Ends the story in any case. */
const SECONDS_MAX = 40;

const millpond = fileURLToPath(new URL("../../bin/millpond.js", import.meta.url));
const worker = fileURLToPath(new URL("./worker.js", import.meta.url));

/** Refuses what is more than it can take. */
class Database {
  readonly rows = new Set<string>();
  refused = 0;
  writesPerSecondMax = 0;
  readonly #recentMs: number[] = [];

  write(id: string): boolean {
    const nowMs = performance.now();
    while ((this.#recentMs[0] ?? nowMs) <= nowMs - 1000) this.#recentMs.shift();
    if (this.#recentMs.length >= WRITES_PER_SECOND) {
      this.refused += 1;
      return false;
    }
    this.#recentMs.push(nowMs);
    this.writesPerSecondMax = Math.max(this.writesPerSecondMax, this.#recentMs.length);
    this.rows.add(id);
    return true;
  }
}

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "flash-sale-supervised", { maxReceiveCount: 3 });
  const database = new Database();
  const server = createServer(async (request, response) => {
    let id = "";
    for await (const part of request) id += part;
    response.writeHead(database.write(id) ? 200 : 503).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const databaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const supervisor = supervise(stage, url, databaseUrl);
  const orders = producer({ queue: url, client: stage.sqs });
  const workers: number[] = [];
  let sent = 0;
  let isShrunk = false;
  try {
    for (let second = 0; second < SECONDS_MAX && !isShrunk; second++) {
      const count = second === 2 ? BURST : second < 4 ? NORMAL_PER_SECOND : 0;
      const bodies = Array.from({ length: count }, (_, index) => ({ body: { order: `${second}-${index}` } }));
      if (count > 0) sent += (await orders.sendAll(bodies)).sent.length;
      const { visible, inFlight } = await depth(stage, url);
      workers.push(supervisor.workers());
      const bar = "#".repeat(Math.ceil((visible + inFlight) / 10));
      stage.say(
        `second ${second}: ${workers.at(-1)} workers, ${visible + inFlight} in the queue, ${database.rows.size} written  ${bar}`,
      );
      isShrunk = second > 4 && visible + inFlight === 0 && (workers.at(-1) ?? 0) <= 1;
      await sleep(stage, 1000);
    }
  } finally {
    await supervisor.stop();
    server.closeAllConnections();
    server.close();
  }
  const left = await depth(stage, url);
  const { refused, rows, writesPerSecondMax } = database;
  stage.say(
    `sold ${sent}, written ${rows.size}, refused ${refused}, at most ${writesPerSecondMax} writes in any second`,
  );
  return { sent, written: rows.size, refused, writesPerSecondMax, workers, left: left.visible + left.inFlight };
}

/** `millpond work` as anybody would start it, with short times, so that the story does not last. */
function supervise(stage: Stage, url: string, databaseUrl: string) {
  const times = [
    "--every",
    "250ms",
    "--within",
    "1s",
    "--grow-every",
    "500ms",
    "--shrink-after",
    "2s",
    "--grace",
    "10s",
  ];
  const sizes = ["--min", "1", "--max", String(WORKERS_MAX), "--target", "20"];
  const command = [process.execPath, "--no-warnings", worker, databaseUrl];
  const child = spawn(process.execPath, [millpond, "work", "--queue", url, ...sizes, ...times, "--", ...command], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  let workers = 1;
  createInterface({ input: child.stderr }).on("line", (line) => {
    stage.say(`  ${line}`);
    workers = Number(/\d+ -> (\d+) workers?/.exec(line)?.[1] ?? workers);
  });
  return {
    workers: () => workers,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
