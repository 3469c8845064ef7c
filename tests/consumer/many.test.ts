// Many messages, handlers that fail, wait and block the event loop, and consumer processes that are killed with -9 and
// started again: nothing is lost, and within a group nothing overtakes. 5,000 messages, or as many as
// MILLPOND_CONSUMER_MESSAGES says (the long form: 100000).

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { producer } from "../../src/consumer/index.ts";
import { scratchFolder } from "../support/project.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startServe } from "../support/server-process.ts";

const MESSAGES = Number(process.env["MILLPOND_CONSUMER_MESSAGES"] ?? 5000);
const GROUPS = 50;
const MINUTES_MAX = 3 + MESSAGES / 2500;
const program = fileURLToPath(new URL("./worker-program.js", import.meta.url));

for (const queue of ["work", "work.fifo"]) {
  test(`${queue}: ${MESSAGES / 2} messages through killed consumers`, async (context) => {
    const seed = Number(process.env["MILLPOND_SEED"] ?? Math.floor(Math.random() * 1e9));
    context.diagnostic(`seed ${seed} (MILLPOND_SEED)`);
    const random = seededRandom(seed);
    const folder = scratchFolder(context, "consumer");
    const server = startServe(["--data", join(folder, "data"), "--log-level", "warn"]);
    context.after(() => server.signal("SIGKILL"));
    const endpoint = await server.ready;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const sqs = new SQSClient({ endpoint, region: "us-east-1", credentials });
    context.after(() => sqs.destroy());
    const isFifo = queue.endsWith(".fifo");
    const Attributes = { VisibilityTimeout: "2", ...(isFifo ? { FifoQueue: "true" } : {}) };
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: queue, Attributes }));

    const count = Math.floor(MESSAGES / 2);
    const bodies = Array.from({ length: count }, (_, index) => `${index % GROUPS} ${Math.floor(index / GROUPS)}`);
    const sent = await producer({ queue, client: sqs }).sendAll(
      bodies.map((body) =>
        isFifo ? { body, groupId: body.split(" ")[0] as string, deduplicationId: body.replace(" ", "-") } : { body },
      ),
    );
    assert.deepEqual(sent.failed, []);

    const file = join(folder, "effects");
    const workers = new Map<ChildProcess, { output: string }>();
    context.after(() => {
      for (const worker of workers.keys()) worker.kill("SIGKILL");
    });
    const start = () => {
      const args = [program, endpoint, queue, file, String(random.between(1, 1e9)), "block"];
      const worker = spawn(process.execPath, ["--no-warnings", ...args], { stdio: ["ignore", "pipe", "inherit"] });
      const said = { output: "" };
      worker.stdout.setEncoding("utf8").on("data", (text: string) => {
        said.output += text;
      });
      workers.set(worker, said);
      worker.once("exit", () => workers.delete(worker));
      return worker;
    };
    const left = async () => {
      const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
      const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }));
      return AttributeNames.reduce((sum, name) => sum + Number(answer.Attributes?.[name]), 0);
    };

    const deadlineMs = performance.now() + MINUTES_MAX * 60_000;
    let kills = 0;
    let victim = start();
    let steady = start();
    while ((await left()) > 0) {
      assert.ok(performance.now() < deadlineMs, `${await left()} messages are left after ${MINUTES_MAX} minutes`);
      await pause(random.between(800, 2500));
      if (kills >= 8 && kills % 4 !== 0) {
        await pause(1000);
        kills += 1;
        continue;
      }
      victim.kill("SIGKILL");
      workers.delete(victim);
      kills += 1;
      // They take turns, so that each process lives long enough to have its event loop blocked.
      [victim, steady] = [steady, start()];
    }
    context.diagnostic(`${kills} times a consumer was killed or spared`);
    assert.ok(kills >= 1);

    const reports = await Promise.all([...workers].map(([worker, said]) => stopped(worker, said)));
    for (const { report } of reports) assert.equal(report.leftRunning, 0);

    const effects = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    assert.deepEqual(new Set(effects), new Set(bodies), "every message had its effect");
    context.diagnostic(`${effects.length - count} of ${count} messages were worked on again`);
    if (isFifo) {
      const nextOf = new Map<string, number>();
      for (const [line, effect] of effects.entries()) {
        const [group = "", index = ""] = effect.split(" ");
        const next = nextOf.get(group) ?? 0;
        assert.ok(Number(index) <= next, `line ${line}: ${effect} overtook ${group} ${next}`);
        nextOf.set(group, Math.max(next, Number(index) + 1));
      }
    }
  });
}

async function stopped(worker: ChildProcess, said: { output: string }): Promise<{ report: { leftRunning: number } }> {
  while (!said.output.startsWith("ready\n")) await pause(20);
  const closed = new Promise((resolve) => worker.once("close", resolve));
  worker.kill("SIGTERM");
  await closed;
  return JSON.parse(said.output.slice("ready\n".length));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
