// The breaker of a consumer in a worker process holds the supervisor back, and lets it go when it closes.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CreateQueueCommand, SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import { run } from "../../src/cli/run.ts";
import { startMillpond } from "../../src/testing/index.ts";
import { startWorkers } from "../../src/work/index.ts";
import { clientOf, until } from "../consumer/world.ts";

const program = join(dirname(fileURLToPath(import.meta.url)), "breaker-worker.js");
const STARTS_MS_MAX = 30_000;

test("a worker's open breaker keeps the number of workers, is explained, and is forgotten when it closes", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "millpond-breaker-"));
  const downFile = join(folder, "down");
  writeFileSync(downFile, "");
  const millpond = await startMillpond();
  const sqs = clientOf(millpond);
  const interruption = new AbortController();
  let notes = "";
  context.after(async () => {
    interruption.abort();
    await running;
    sqs.destroy();
    await millpond.stop();
    rmSync(folder, { recursive: true });
  });
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
  const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: String(index), MessageBody: String(index) }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const silent = { isTerminal: false, columns: 80 };
  const sizes = ["--min", "2", "--max", "8", "--target", "1", "--grow-every", "10m", "--every", "100ms"];
  const running = run(["work", "--queue", "orders", ...sizes, "--explain", "--", process.execPath, program, downFile], {
    environment: { ...process.env, AWS_ENDPOINT_URL: millpond.endpoint, AWS_REGION: millpond.region },
    readInput: async () => "",
    interrupted: interruption.signal,
    out: { ...silent, write: () => undefined },
    err: {
      ...silent,
      write: (text: string) => {
        notes += text;
      },
    },
  });
  const held =
    /stays at 4 workers \(backlog asks for 10, downstream holds\): .*circuit breakers? of the workers (is|are) open/;
  await until(() => held.test(notes), "the hold", STARTS_MS_MAX);
  assert.match(notes, /\d open breakers?/);
  rmSync(downFile);
  // A breaker that is open for long enough closes with a message that works: there must be some for every worker.
  const feeding = setInterval(() => {
    sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries })).catch(() => undefined);
  }, 200);
  context.after(() => clearInterval(feeding));
  const isForgotten = () => {
    const looks = notes
      .split("\n")
      .filter((line) => line.includes("backlog"))
      .slice(-3);
    return looks.length === 3 && !looks.some((look) => look.includes("open breaker"));
  };
  notes = "";
  await until(isForgotten, "the news that it closed", STARTS_MS_MAX);
  clearInterval(feeding);
  interruption.abort();
  assert.equal(await running, 0);
});

test("a program that is not Node gets no channel: it would hand its number on, but not the channel", async () => {
  const lines: string[] = [];
  let how = "";
  const { PATH } = process.env;
  const start = startWorkers({
    program: "sh",
    args: ["-c", "echo [$NODE_CHANNEL_FD$MILLPOND_SUPERVISOR] >&2"],
    environment: { PATH, MILLPOND_SUPERVISOR: "ipc" },
    onErrorLine: (_, line) => void lines.push(line),
  });
  start(1, {
    ended: (end) => {
      how = end;
    },
    complained: () => {},
    breakersOpen: () => {},
  });
  await until(() => how !== "" && lines.length > 0, "its end");
  assert.deepEqual([how, lines], ["exit code 0", ["[]"]]);
});
