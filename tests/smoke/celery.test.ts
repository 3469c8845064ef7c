// A Celery worker on kombu's SQS transport: a task, a retry, a task for later, and one that is acknowledged late and
// outlives the kill of its worker. Current Celery makes its queue itself; Debian's is given the queue's URL.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { LeanClient } from "../support/lean-client.ts";
import { scratchFolder } from "../support/project.ts";
import { installed, isMissing, run, smokeFolder, startServer, toolEnvironment } from "./tools.ts";

interface Entry {
  task: string;
  at: number;
  result?: number;
  attempt?: number;
  due?: number;
  step?: string;
}

const WAIT_MS_MAX = 40_000;
const CAREFUL_SECONDS = "3";

for (const { name, python, predefined } of [
  { name: "current Celery", python: installed("celery", "python"), predefined: false },
  { name: "Debian's Celery", python: "/usr/bin/python3", predefined: true },
]) {
  test(`${name}: a task, a retry, an ETA, and a late acknowledgement across a killed worker`, async (context) => {
    if (isMissing(context, python, ["celery", "boto3", "pycurl"])) return;
    const endpoint = await startServer(context);
    const journal = join(scratchFolder(context, "celery"), "journal");
    const environment = toolEnvironment({
      MILLPOND_SMOKE_HOST: new URL(endpoint).host,
      MILLPOND_SMOKE_JOURNAL: journal,
      PYTHONPATH: smokeFolder,
      ...(predefined ? { MILLPOND_SMOKE_QUEUE_URL: await createQueue(endpoint) } : {}),
    });
    const send = async (...args: string[]) => {
      const { code, stderr } = await run(python, [join(smokeFolder, "celery-send.py"), ...args], environment);
      assert.equal(code, 0, stderr);
    };

    const worker = startWorker(context, python, environment);
    await send("first");
    await waitFor(worker, () => has(journal, (entry) => entry.task === "timed") && attempts(journal).length === 3);
    assert.deepEqual(
      entriesOf(journal, "add").map((entry) => entry.result),
      [5],
    );
    assert.deepEqual(attempts(journal), [0, 1, 2]);
    const [timed] = entriesOf(journal, "timed");
    assert.ok(timed !== undefined && timed.at >= (timed.due as number) - 0.1, "the task for later ran too early");

    await send("careful", CAREFUL_SECONDS);
    await waitFor(worker, () => has(journal, (entry) => entry.step === "begun"));
    worker.child.kill("SIGKILL");
    const second = startWorker(context, python, environment);
    await waitFor(second, () => has(journal, (entry) => entry.step === "done"));
    assert.deepEqual(
      entriesOf(journal, "careful").map((entry) => entry.step),
      ["begun", "begun", "done"],
    );
    assert.equal(entriesOf(journal, "add").length, 1, "what was acknowledged did not run again");
  });
}

interface Worker {
  child: ChildProcess;
  output(): string;
}

function startWorker(context: TestContext, python: string, environment: Record<string, string>): Worker {
  const args = [
    "-m",
    "celery",
    "-A",
    "celery_tasks",
    "worker",
    "--pool=solo",
    "--loglevel=INFO",
    "--without-gossip",
    "--without-mingle",
  ];
  const child = spawn(python, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  context.after(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return { child, output: () => output };
}

async function waitFor(worker: Worker, isSo: () => boolean): Promise<void> {
  const startedAtMs = performance.now();
  while (!isSo()) {
    const hasEnded = worker.child.exitCode !== null;
    if (hasEnded || performance.now() - startedAtMs > WAIT_MS_MAX) {
      throw new Error(`the worker ${hasEnded ? "ended" : "did not do it"}; it said:\n${worker.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function createQueue(endpoint: string): Promise<string> {
  const client = new LeanClient(endpoint);
  try {
    const { QueueUrl } = await client.call("CreateQueue", {
      QueueName: "celery-smoke",
      Attributes: { VisibilityTimeout: "5" },
    });
    return QueueUrl;
  } finally {
    client.close();
  }
}

function entries(journal: string): Entry[] {
  if (!existsSync(journal)) return [];
  return readFileSync(journal, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function entriesOf(journal: string, task: string): Entry[] {
  return entries(journal).filter((entry) => entry.task === task);
}

function attempts(journal: string): (number | undefined)[] {
  return entriesOf(journal, "flaky").map((entry) => entry.attempt);
}

function has(journal: string, isIt: (entry: Entry) => boolean): boolean {
  return entries(journal).some(isIt);
}
