// millpond work: runs as many copies of a command as a queue needs, until a signal drains them.

import { systemClock } from "../base/clock.ts";
import { DURATION_ALLOWED, parseDurationMs } from "../config/index.ts";
import {
  type Decision,
  decisionLine,
  evidenceLine,
  POLICY,
  type Policy,
  type Pool,
  type ReportServer,
  Supervisor,
  serveReport,
  startWorkers,
  WorkerPool,
} from "../work/index.ts";
import type { Call, Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { CliError, EXIT, usageError } from "./exit-codes.ts";
import { numberFlag } from "./operands.ts";
import { CLIENT_FLAGS } from "./queue-client.ts";
import { WatchedQueue } from "./watched-queue.ts";

const USAGE = "work --queue NAME [--min N] [--max N] -- PROGRAM [ARGUMENT…]";
const EVERY_MS = 2000;
const GRACE_MS = 30_000;

export const work: Command = {
  about:
    "Starts copies of the program and stops them again, by the backlog for each worker, the arrivals, the time that a " +
    "message takes and the age of the oldest. More at once, fewer after a calm time; no more while what is behind the " +
    "workers is the limit. A worker that is not needed gets SIGTERM and may finish. Workers find MILLPOND_QUEUE_URL, " +
    "MILLPOND_QUEUE, MILLPOND_WORKER and AWS_ENDPOINT_URL_SQS in their environment. docs/work.md has the rules.",
  examples: [
    "work --queue orders --max 8 -- node worker.js",
    "work --queue orders --within 10s --explain -- python3 worker.py",
    "work --queue orders --dry-run --listen 9400",
  ],
  flags: {
    queue: { type: "string", placeholder: "NAME", help: "the queue, by name or URL" },
    min: { type: "string", placeholder: "N", help: `workers at least [${POLICY.workersMin}]` },
    max: { type: "string", placeholder: "N", help: `workers at most [${POLICY.workersMax}]` },
    within: { type: "string", placeholder: "TIME", help: "a message should be done within this time [30s]" },
    target: { type: "string", placeholder: "N", help: "messages for each worker [what it does within that time]" },
    concurrency: { type: "string", placeholder: "N", help: "messages that a worker works on at a time [1]" },
    grace: { type: "string", placeholder: "TIME", help: "from SIGTERM to SIGKILL [30s]" },
    every: { type: "string", placeholder: "TIME", help: "how often the queue is looked at [2s]" },
    "grow-every": { type: "string", placeholder: "TIME", help: "at most doubled in this time [10s]" },
    "shrink-after": { type: "string", placeholder: "TIME", help: "fewer when fewer did for this long [5m]" },
    listen: { type: "string", placeholder: "[HOST:]PORT", help: "answer the numbers as JSON, for KEDA and others" },
    explain: { type: "boolean", help: "say at each look what was measured and decided" },
    "dry-run": { type: "boolean", help: "decide and tell, start nothing" },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const queueName = textFlag(call, "queue");
    const isDryRun = call.flags["dry-run"] === true;
    const [program, ...args] = call.operands;
    if (queueName === undefined || (program === undefined) !== isDryRun) throw usageError(`Usage: millpond ${USAGE}`);
    const policy = policyOf(call);
    const everyMs = durationFlag(call, "every", EVERY_MS);
    const graceMs = durationFlag(call, "grace", GRACE_MS);
    const listen = listenFlag(call);
    const queue = await WatchedQueue.find(call, queueName);
    const say = (line: string) => tell(call, { event: "note", text: line }, line);
    const pool = program === undefined ? new PaperPool() : workersOf(call, queue, program, args, graceMs, say);
    const supervisor = new Supervisor({
      queue: queue.name,
      policy,
      pool,
      clock: systemClock,
      everyMs,
      read: () => queue.read(),
      onDecision: (decision, isChange) => explain(call, decision, isChange),
      say,
    });
    const server = await serve(listen, supervisor);
    if (server !== undefined) say(`The numbers are at ${server.endpoint}/.`);
    supervisor.start();
    await interruption(call.interrupted);
    if (pool.running + pool.draining > 0) say(`Draining ${pool.running} workers; a second signal kills them.`);
    await supervisor.stop();
    await server?.close();
  },
};

/** Wanted is had at once: somebody else, such as KEDA, starts the workers. */
class PaperPool implements Pool {
  running = 0;
  readonly crashed = 0;
  readonly draining = 0;
  readonly openBreakers = 0;

  resize(wanted: number): void {
    this.running = wanted;
  }

  async stop(): Promise<void> {}
}

function workersOf(
  call: Call,
  queue: WatchedQueue,
  program: string,
  args: string[],
  graceMs: number,
  say: (line: string) => void,
): Pool {
  const { endpoint, region, isAws } = queue.client;
  const environment = {
    AWS_REGION: region,
    ...(isAws ? {} : { AWS_ENDPOINT_URL_SQS: endpoint }),
    ...call.environment,
    MILLPOND_QUEUE: queue.name,
    MILLPOND_QUEUE_URL: queue.url,
  };
  const onErrorLine = (place: number, line: string) => call.output.note(`[${place}] ${line}`);
  const start = startWorkers({ program, args, environment, onErrorLine });
  return new WorkerPool({ start, clock: systemClock, graceMs, say });
}

function explain(call: Call, decision: Decision, isChange: boolean): void {
  const isExplaining = call.flags["explain"] === true;
  if (!isChange && !isExplaining) return;
  tell(call, { event: "decision", isChange, ...decision }, decisionLine(decision));
  if (isExplaining && !call.output.isJson) call.output.note(`    ${evidenceLine(decision)}`);
}

/** Standard output is the workers'. */
function tell(call: Call, value: object, line: string): void {
  const atTime = new Date().toISOString();
  call.output.note(call.output.isJson ? JSON.stringify({ time: atTime, ...value }) : `${atTime} ${line}`);
}

function policyOf(call: Call): Policy {
  const workersMin = numberFlag(call, "min") ?? POLICY.workersMin;
  const workersMax = numberFlag(call, "max") ?? Math.max(POLICY.workersMax, workersMin);
  if (workersMax < workersMin || workersMax < 1) {
    throw usageError(`--max is ${workersMax}, which is less than ${Math.max(1, workersMin)} workers.`);
  }
  const target = numberFlag(call, "target");
  const concurrency = numberFlag(call, "concurrency") ?? POLICY.concurrency;
  if (target === 0 || concurrency === 0) throw usageError("--target and --concurrency are 1 or more.");
  const growEveryMs = durationFlag(call, "grow-every", POLICY.growEveryMs);
  const shrinkAfterMs = durationFlag(call, "shrink-after", POLICY.shrinkAfterMs);
  return {
    workersMin,
    workersMax,
    withinMs: durationFlag(call, "within", POLICY.withinMs),
    ...(target === undefined ? {} : { backlogPerWorker: target }),
    concurrency,
    growEveryMs,
    shrinkAfterMs,
    shrinkEveryMs: shrinkAfterMs / 5,
    retryMs: POLICY.retryMs,
  };
}

function durationFlag(call: Call, name: string, otherwiseMs: number): number {
  const given = textFlag(call, name);
  if (given === undefined) return otherwiseMs;
  const durationMs = parseDurationMs(given);
  if (durationMs === undefined || durationMs === 0) {
    throw usageError(`--${name} is "${given}", which is not ${DURATION_ALLOWED}, longer than 0.`);
  }
  return durationMs;
}

function listenFlag(call: Call): { host: string; port: number } | undefined {
  const given = textFlag(call, "listen");
  if (given === undefined) return undefined;
  const [, host = "127.0.0.1", port] = /^(?:(?:\[?([^\]]+?)\]?):)?(\d{1,5})$/.exec(given) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw usageError(`--listen is "${given}", which is not a port or HOST:PORT, such as 9400 or 0.0.0.0:9400.`);
  }
  return { host, port: Number(port) };
}

async function serve(
  listen: { host: string; port: number } | undefined,
  supervisor: Supervisor,
): Promise<ReportServer | undefined> {
  if (listen === undefined) return undefined;
  try {
    return await serveReport(listen.host, listen.port, () => supervisor.report());
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const where = `${listen.host}:${listen.port}`;
    throw new CliError(EXIT.portTaken, "PortTaken", `Nothing can listen on ${where} (${code}); name another --listen.`);
  }
}

async function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
