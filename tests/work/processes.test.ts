// `millpond work` with real processes: what they find in their environment, how they end, and that none stays behind.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { run } from "../../src/cli/run.ts";
import { startMillpond } from "../../src/testing/index.ts";
import { clientOf, until } from "../consumer/world.ts";

interface Run {
  notes: () => string;
  file: () => string;
  stop: () => Promise<number>;
}

/** Runs a program in `millpond work`; `FILE` in it is a file that it may append to. */
async function withWork(program: string, flags: string[], use: (work: Run) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "millpond-work-"));
  const path = join(folder, "told");
  const millpond = await startMillpond();
  const sqs = clientOf(millpond);
  const interruption = new AbortController();
  let notes = "";
  const note = (text: string) => {
    notes += text;
  };
  const silent = { isTerminal: false, columns: 80 };
  try {
    await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    const script = `const file = ${JSON.stringify(path)}; const { appendFileSync } = require("node:fs"); ${program}`;
    const args = [
      "work",
      "--queue",
      "orders",
      "--every",
      "50ms",
      ...flags,
      "--",
      process.execPath,
      "-e",
      script,
      "--",
      "--json",
    ];
    const running = run(args, {
      environment: { ...process.env, AWS_ENDPOINT_URL: millpond.endpoint, AWS_REGION: millpond.region },
      readInput: async () => "",
      interrupted: interruption.signal,
      out: { ...silent, write: () => undefined },
      err: { ...silent, write: note },
    });
    const file = () => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return "";
      }
    };
    const stop = () => {
      interruption.abort();
      return running;
    };
    await use({ notes: () => notes, file, stop });
    await stop();
  } finally {
    interruption.abort();
    sqs.destroy();
    await millpond.stop();
    rmSync(folder, { recursive: true });
  }
}

const FOREVER = "setInterval(() => {}, 1000);";

test("workers know their queue and their number, and may finish when they are drained", async () => {
  const program = `
    const { MILLPOND_WORKER, MILLPOND_QUEUE, MILLPOND_QUEUE_URL, AWS_ENDPOINT_URL_SQS } = process.env;
    const isWhole = MILLPOND_QUEUE_URL.endsWith("/orders") && AWS_ENDPOINT_URL_SQS.startsWith("http");
    process.on("SIGTERM", () => setTimeout(() => { appendFileSync(file, "finished\\n"); process.exit(0); }, 200));
    appendFileSync(file, MILLPOND_WORKER + " " + MILLPOND_QUEUE + " " + isWhole + "\\n"); ${FOREVER}`;
  await withWork(program, ["--min", "2"], async ({ file, stop, notes }) => {
    await until(() => file().split("\n").length === 3, "two workers");
    assert.deepEqual(file().trim().split("\n").sort(), ["1 orders true", "2 orders true"]);
    assert.equal(await stop(), 0);
    assert.equal(file().match(/finished/g)?.length, 2);
    assert.match(notes(), /Draining 2 workers/);
  });
});

test("a worker that ignores SIGTERM is killed after the grace period, with what it started", async () => {
  const program = `
    process.on("SIGTERM", () => {});
    const child = require("node:child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); ${FOREVER}"]);
    appendFileSync(file, process.pid + " " + child.pid + "\\n"); ${FOREVER}`;
  await withWork(program, ["--min", "1", "--grace", "300ms"], async ({ file, stop, notes }) => {
    await until(() => file().endsWith("\n"), "the worker");
    assert.equal(await stop(), 0);
    assert.match(notes(), /Worker 1 did not end within 0.3 s of SIGTERM and is killed/);
    for (const pid of file().trim().split(" ").map(Number)) await until(() => !isAlive(pid), `the end of ${pid}`);
  });
});

test("a worker that crashes is started again, and what it said is told", async () => {
  const program = `appendFileSync(file, "x"); console.error("no database"); process.exitCode = 3;`;
  await withWork(program, ["--min", "1"], async ({ file, notes }) => {
    await until(() => file().length >= 2, "the restart");
    assert.match(notes(), /\[1\] no database/);
    assert.match(notes(), /Worker 1 ended by itself \(exit code 3\) after [\d.]+ s; again in 0.5 s/);
  });
});

test("a program that cannot be started is reported, not thrown", async () => {
  const millpond = await startMillpond();
  const sqs = clientOf(millpond);
  const interruption = new AbortController();
  let notes = "";
  const note = (text: string) => {
    notes += text;
  };
  try {
    await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
    const running = run(["work", "--queue", "orders", "--min", "1", "--", "no-such-program-anywhere"], {
      environment: { ...process.env, AWS_ENDPOINT_URL: millpond.endpoint, AWS_REGION: millpond.region },
      readInput: async () => "",
      interrupted: interruption.signal,
      out: { isTerminal: false, columns: 80, write: () => undefined },
      err: { isTerminal: false, columns: 80, write: note },
    });
    await until(() => /ENOENT/.test(notes), "the report");
    interruption.abort();
    assert.equal(await running, 0);
  } finally {
    sqs.destroy();
    await millpond.stop();
  }
});

function isAlive(pid: number): boolean {
  try {
    // A zombie that nobody has waited for still answers a signal; it is as dead as they come.
    const state = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
    return state !== "Z";
  } catch {
    return false;
  }
}
