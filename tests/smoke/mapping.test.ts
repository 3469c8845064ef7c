// A function behind a queue, deployed as a zip by three clients: a thousand messages of which one in a hundred is
// poison, a server that is killed in the middle, and books that balance: every good message has its effect, every poison
// one is in the dead-letter queue, none is lost.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CreateEventSourceMappingCommand, CreateFunctionCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { makeZip } from "../functions/make-zip.ts";
import { LeanClient } from "../support/lean-client.ts";
import { scratchFolder } from "../support/project.ts";
import { type ServerProcess, startServe } from "../support/server-process.ts";
import { installed, isMissing, run, smokeFolder } from "./tools.ts";

const MESSAGES = 1000;
const POISON_EVERY = 100;
const KILL_AFTER_EFFECTS = 300;
const MAX_RECEIVES = 3;
const DONE_MS_MAX = 60_000;
const ROLE = "arn:aws:iam::000000000000:role/functions";
const SOURCE_ARN = "arn:aws:sqs:us-east-1:000000000000:work";
const DEAD_ARN = "arn:aws:sqs:us-east-1:000000000000:dead";
/** Longer than a batch takes, shorter than a test waits. */
const VISIBILITY_SECONDS = 3;

/** Notes an effect for each good message in one write, after some work, and reports the others. */
const WORKER = `
import { appendFileSync } from "node:fs";
export const handler = async ({ Records }) => {
  await new Promise((resolve) => setTimeout(resolve, 60));
  const bad = Records.filter(({ body }) => JSON.parse(body).poison);
  const good = Records.filter((record) => !bad.includes(record));
  appendFileSync(process.env.EFFECTS, good.map(({ messageId }) => messageId + "\\n").join(""));
  return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};
`;

interface Deployment {
  endpoint: string;
  zip: string;
  effects: string;
}

type Deploy = (deployment: Deployment) => Promise<void>;

async function deployWithSdk({ endpoint, zip, effects }: Deployment): Promise<void> {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const lambda = new LambdaClient({ endpoint, region: "us-east-1", credentials });
  const { FunctionArn } = await lambda.send(
    new CreateFunctionCommand({
      FunctionName: "worker",
      Runtime: "nodejs20.x",
      Handler: "index.handler",
      Role: ROLE,
      Timeout: 2,
      Code: { ZipFile: readFileSync(zip) },
      Environment: { Variables: { EFFECTS: effects } },
    }),
  );
  await lambda.send(
    new CreateEventSourceMappingCommand({
      EventSourceArn: SOURCE_ARN,
      FunctionName: FunctionArn,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    }),
  );
  lambda.destroy();
}

const deployWithCli =
  (aws: string): Deploy =>
  async ({ endpoint, zip, effects }) => {
    const lambda = async (...args: string[]) => {
      const { code, stderr } = await run(aws, ["--endpoint-url", endpoint, "--output", "json", "lambda", ...args]);
      assert.equal(code, 0, `aws lambda ${args.join(" ")}: ${stderr}`);
    };
    await lambda(
      ...["create-function", "--function-name", "worker", "--runtime", "nodejs20.x", "--handler", "index.handler"],
      ...["--role", ROLE, "--timeout", "2", "--zip-file", `fileb://${zip}`],
      ...["--environment", JSON.stringify({ Variables: { EFFECTS: effects } })],
    );
    await lambda(
      ...["create-event-source-mapping", "--event-source-arn", SOURCE_ARN, "--function-name", "worker"],
      ...["--function-response-types", "ReportBatchItemFailures"],
    );
  };

const deployWithBoto =
  (python: string): Deploy =>
  async ({ endpoint, zip, effects }) => {
    const { code, stderr } = await run(python, [
      join(smokeFolder, "boto3-mapping.py"),
      endpoint,
      zip,
      effects,
      SOURCE_ARN,
    ]);
    assert.equal(code, 0, stderr);
  };

const AWS = installed("awscli", "aws");
const PYTHON = installed("boto3", "python");

test("deployed with the AWS SDK: 990 of 1,000 messages are worked off and 10 dead-lettered, across kill -9", (context) =>
  play(context, deployWithSdk));

test("the same, deployed with the AWS CLI", async (context) => {
  if (!isMissing(context, AWS)) await play(context, deployWithCli(AWS));
});

test("the same, deployed with boto3", async (context) => {
  if (!isMissing(context, PYTHON, ["boto3"])) await play(context, deployWithBoto(PYTHON));
});

async function play(context: TestContext, deploy: Deploy): Promise<void> {
  const folder = scratchFolder(context, "mapping");
  const effects = join(folder, "effects");
  const zip = join(folder, "worker.zip");
  writeFileSync(effects, "");
  writeFileSync(zip, makeZip([{ path: "index.mjs", text: WORKER }]));
  const data = join(folder, "data");
  const start = async (): Promise<{ server: ServerProcess; client: LeanClient; endpoint: string }> => {
    const server = startServe(["--data", data]);
    context.after(() => server.signal("SIGKILL"));
    const endpoint = await server.ready;
    const client = new LeanClient(endpoint);
    context.after(() => client.close());
    return { server, client, endpoint };
  };

  const first = await start();
  await createQueues(first.client);
  await deploy({ endpoint: first.endpoint, zip, effects });
  const { good, poison } = await sendAll(first.client);
  await until("some of it is done", () => effectsIn(effects).length >= KILL_AFTER_EFFECTS);
  await first.server.signal("SIGKILL");
  const before = effectsIn(effects).length;
  assert.ok(before < good.length, "it was killed in the middle");

  const second = await start();
  await until("the queue is empty", async () => (await countIn(second.client, "work")) === 0);
  const after = effectsIn(effects);
  assert.deepEqual(new Set(after), new Set(good), "every good message had its effect, and no poison one");
  assert.deepEqual(new Set(await idsIn(second.endpoint, "dead")), new Set(poison));
  context.diagnostic(`${before} effects before the kill, ${after.length - good.length} repeated after it`);
  assert.equal((await second.server.signal("SIGTERM")).code, 0);
}

async function createQueues(client: LeanClient): Promise<void> {
  await client.call("CreateQueue", { QueueName: "dead" });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: DEAD_ARN, maxReceiveCount: MAX_RECEIVES });
  const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS), RedrivePolicy };
  await client.call("CreateQueue", { QueueName: "work", Attributes });
}

async function sendAll(client: LeanClient): Promise<{ good: string[]; poison: string[] }> {
  const ids = { good: [] as string[], poison: [] as string[] };
  for (let from = 0; from < MESSAGES; from += 10) {
    const Entries = Array.from({ length: 10 }, (_, index) => ({
      Id: String(from + index),
      MessageBody: JSON.stringify({ n: from + index, poison: (from + index) % POISON_EVERY === 0 }),
    }));
    const { Successful } = await client.call("SendMessageBatch", { QueueUrl: urlOf("work"), Entries });
    for (const { Id, MessageId } of Successful)
      (Number(Id) % POISON_EVERY === 0 ? ids.poison : ids.good).push(MessageId);
  }
  assert.equal(ids.good.length + ids.poison.length, MESSAGES);
  return ids;
}

function effectsIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

async function countIn(client: LeanClient, name: string): Promise<number> {
  const { Attributes } = await client.call("GetQueueAttributes", { QueueUrl: urlOf(name), AttributeNames: ["All"] });
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}

async function idsIn(endpoint: string, name: string): Promise<string[]> {
  const path = `/_millpond/queues/000000000000/us-east-1/${name}/messages?limit=${MESSAGES}`;
  const { messages } = (await (await fetch(`${endpoint}${path}`)).json()) as { messages: { messageId: string }[] };
  return messages.map(({ messageId }) => messageId);
}

function urlOf(name: string): string {
  return `http://queues.test/000000000000/${name}`;
}

/** Other processes are at work, in real time. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadlineMs = Date.now() + DONE_MS_MAX; Date.now() < deadlineMs; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`It did not come about: ${what}.`);
}
