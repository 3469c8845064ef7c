import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeZip } from "../../tests/functions/make-zip.ts";
import type { Environment } from "../config/index.ts";
import type { Millpond } from "../testing/index.ts";
import { startMillpond } from "../testing/index.ts";
import { commands } from "./commands.ts";
import { EXIT_CODE_HELP } from "./exit-codes.ts";
import { Output, tableLines } from "./output.ts";
import { run } from "./run.ts";

interface Result {
  exitCode: number;
  out: string;
  err: string;
}

interface Scene {
  environment?: Environment;
  input?: string;
  interrupted?: AbortSignal;
  onOut?: (text: string) => void;
  isTerminal?: boolean;
}

async function millpond(args: string[], scene: Scene = {}): Promise<Result> {
  const result: Result = { exitCode: 0, out: "", err: "" };
  const isTerminal = scene.isTerminal ?? false;
  result.exitCode = await run(args, {
    environment: scene.environment ?? {},
    readInput: async () => scene.input ?? "",
    interrupted: scene.interrupted ?? new AbortController().signal,
    out: {
      isTerminal,
      columns: 80,
      write(text) {
        result.out += text;
        scene.onOut?.(text);
      },
    },
    err: {
      isTerminal,
      columns: 80,
      write(text) {
        result.err += text;
      },
    },
  });
  return result;
}

/** `index.js`, stored: prints and gives back its event. */
const ECHO_ZIP = makeZip([
  { path: "index.js", text: "exports.handler = async (event) => { console.log('seen', event); return event; };" },
]).toString("base64");

async function withServer(
  use: (cli: (line: string, scene?: Scene) => Promise<Result>, server: Millpond) => Promise<void>,
) {
  const server = await startMillpond();
  try {
    await use((line, scene = {}) => millpond(line.split(" "), { environment: server.env, ...scene }), server);
  } finally {
    await server.stop();
  }
}

test("help begins with examples, names every command and every exit code, and fits a terminal", async () => {
  const { out, exitCode } = await millpond(["--help"]);
  assert.equal(exitCode, 0);
  assert.ok(out.indexOf("Try it") < out.indexOf("Commands"));
  for (const command of commands) assert.match(out, new RegExp(`^  ${command.name}`, "m"));
  for (const [code, meaning] of EXIT_CODE_HELP) assert.ok(out.includes(`  ${code}  ${meaning.slice(0, 40)}`));
  assert.equal((await millpond([])).out, out);
  assert.equal((await millpond(["help"])).out, out);
});

test("every command's help shows an example and fits 80 columns", async () => {
  for (const command of commands) {
    const { out, exitCode } = await millpond(["help", ...command.name.split(" ")]);
    assert.equal(exitCode, 0);
    assert.match(out, new RegExp(`Examples\n  millpond ${command.name}`));
    for (const line of out.split("\n").slice(1)) assert.ok(line.length <= 80, `${command.name}: ${line}`);
    assert.equal((await millpond([...command.name.split(" "), "--help"])).out, out);
  }
  for (const line of (await millpond([])).out.split("\n")) assert.ok(line.length <= 80, line);
});

test("wrong use is exit 2 with a sentence and no stack", async () => {
  for (const line of [
    "frob",
    "queue frob",
    "queue send",
    "queue send a b c",
    "queue ls --bad",
    "queue create q --visibility soon",
  ]) {
    const { exitCode, err, out } = await millpond(line.split(" "));
    assert.equal(exitCode, 2, line);
    assert.match(err, /^Error: [^\n]+\n$/, line);
    assert.equal(out, "");
  }
  const asJson = await millpond(["queue", "frob", "--json"]);
  assert.equal(JSON.parse(asJson.err).error, "Usage");
});

test("no server at the endpoint is exit 5", async () => {
  const { exitCode, err } = await millpond(["queue", "ls", "--endpoint", "http://127.0.0.1:1"]);
  assert.equal(exitCode, 5);
  assert.match(err, /^Error: No server answers at http:\/\/127\.0\.0\.1:1 .* "millpond serve"/);
});

test("a topic's life from the command line", async () => {
  await withServer(async (cli) => {
    assert.match((await cli("topic ls")).err, /^No topics in account/);
    const missing = await cli("topic publish orders hello");
    assert.equal(missing.exitCode, 1);
    assert.match(missing.err, /^Error: There is no topic "orders" in account 000000000000, region us-east-1\./);
    const arn = "arn:aws:sns:us-east-1:000000000000:orders";
    assert.equal((await cli("topic create orders --display-name Orders")).out, `${arn}\n`);
    await cli("queue create billing");
    const subscribed = await cli('topic subscribe orders billing --raw --filter {"kind":["paid"]} --dlq failed');
    assert.match(subscribed.out, new RegExp(`^${arn}:[0-9a-f-]{36}\n$`));
    await cli("topic subscribe orders http://127.0.0.1:1/hook");
    assert.deepEqual(JSON.parse((await cli("topic ls --json")).out).topics, [
      { name: "orders", kind: "standard", subscriptions: 1, pending: 1, arn },
    ]);
    await cli("topic publish orders no --attribute kind=new");
    const published = await cli("topic publish orders - --attribute kind=paid --attribute n:Number=1 --json", {
      input: "a&b=c é",
    });
    assert.match(JSON.parse(published.out).messageId, /^[0-9a-f-]{36}$/);
    const received = JSON.parse((await cli("queue receive billing --max 10 --json")).out);
    assert.equal(received.Body, "a&b=c é");
    const shown = (await cli("topic show orders")).out;
    assert.match(shown, /^PROTOCOL {2}ENDPOINT +STATE +DELIVERED +RETRIED +GIVEN UP +WAITING\n/);
    assert.match(shown, /\nsqs +billing +problem +1 +0 +0 +0\n/);
    assert.match(shown, /\nhttp +http:\/\/127\.0\.0\.1:1\/hook +pending /);
    assert.match(shown, /has no statement that lets arn:aws:sns:\S+:orders send to it\. So AWS would not deliver its/);
    const statement = JSON.parse(/^ {2}(\{.*\})$/m.exec(shown)?.[1] ?? "{}");
    assert.equal(statement.Condition.ArnEquals["aws:SourceArn"], arn);
    const [billing] = JSON.parse((await cli("topic show orders --json")).out).subscriptions;
    assert.deepEqual(billing.missingStatement, statement);
    assert.equal((await cli("topic show nothing")).exitCode, 1);
    const both = await cli("topic subscribe orders billing --filter {} --filter-body {}");
    assert.equal(both.exitCode, 2);
    assert.equal((await cli("topic create orders --content-dedup")).exitCode, 2);
    const fifo = JSON.parse((await cli("topic create steps --fifo --content-dedup --json")).out);
    assert.equal(fifo.name, "steps.fifo");
    assert.match((await cli("topic publish steps.fifo a --group g")).out, /^[0-9a-f-]{36} {2}sequence \d{20}\n$/);
  });
});

test("a queue's life from the command line", async () => {
  await withServer(async (cli, server) => {
    const created = await cli("queue create orders --dlq failed --max-receives 1 --visibility 0s --json");
    assert.equal(JSON.parse(created.out).url, `${server.endpoint}/000000000000/orders`);
    await cli("queue send orders hello --attribute tries:Number=1");
    await cli("queue send orders - --delay 60s", { input: "from\nstdin" });
    const peeked = await cli("queue peek orders");
    assert.match(peeked.out, /^STATE +AGE +RECEIVES +BODY\n/);
    assert.match(peeked.out, /delayed .* from stdin\n/);
    const received = await cli("queue receive orders --json");
    assert.deepEqual(JSON.parse(received.out).MessageAttributes, { tries: { DataType: "Number", StringValue: "1" } });
    assert.match((await cli("queue receive orders")).err, /^No message in orders is ready/);
    const listed = JSON.parse((await cli("queue ls --json")).out).queues;
    assert.deepEqual(listed, [
      { name: "failed", kind: "standard", visible: 1, inFlight: 0, delayed: 0 },
      { name: "orders", kind: "standard", visible: 0, inFlight: 0, delayed: 1, deadLetterQueue: "failed" },
    ]);
    assert.deepEqual(JSON.parse((await cli("queue redrive failed --json")).out), {
      status: "COMPLETED",
      movedCount: 1,
    });
    const taken = await cli("queue receive orders --delete");
    assert.match(taken.out, /\n {2}tries = 1 \(Number\)\n {2}receipt .+\nhello\n$/);
    assert.equal(taken.err, "Deleted 1 of 1.\n");
    assert.equal((await cli("queue purge orders")).out, "Purged orders.\n");
    assert.deepEqual(await server.inspect("orders"), []);
    assert.deepEqual(JSON.parse((await cli("queue rm orders --json")).out), { deleted: "orders" });
    const gone = await cli("queue rm orders");
    assert.equal(gone.exitCode, 1);
    assert.equal(
      gone.err,
      'Error: There is no queue "orders" in account 000000000000, region us-east-1. See "millpond queue ls".\n',
    );
  });
});

test("a FIFO queue needs no more than --fifo, and sends to it say their sequence number", async () => {
  await withServer(async (cli) => {
    assert.match((await cli("queue create pay --fifo --content-dedup")).out, /\/pay\.fifo\n$/);
    const sent = JSON.parse((await cli("queue send pay.fifo paid --group g1 --json")).out);
    assert.match(sent.sequenceNumber, /^\d{20}$/);
    assert.match((await cli("queue peek pay.fifo")).out, /GROUP {2}BODY\nvisible .* g1 {5}paid\n$/);
  });
});

test("serve prints where it answers, stops on a signal with exit 0, and names a taken port with exit 4", async () => {
  const interruption = new AbortController();
  const taken: Result[] = [];
  const { exitCode, out, err } = await millpond(["serve", "--port", "0", "--memory"], {
    interrupted: interruption.signal,
    onOut(text) {
      const port = /Endpoint +http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port === undefined) return;
      void millpond(["serve", "--memory", "--port", port]).then((result) => {
        taken.push(result);
        interruption.abort();
      });
    },
  });
  assert.equal(exitCode, 0);
  assert.match(out, /Durability +memory: nothing is kept/);
  assert.match(out, /export AWS_ENDPOINT_URL=http:\/\/127\.0\.0\.1:\d+ /);
  assert.match(out, /aws sqs create-queue --queue-name my-first-queue/);
  assert.doesNotMatch(err, /without authentication/);
  assert.equal(taken[0]?.exitCode, 4);
});

test("serve says plainly when it is open to the network", async () => {
  const interruption = new AbortController();
  const { err } = await millpond(["serve", "--port", "0", "--memory", "--host", "0.0.0.0"], {
    interrupted: interruption.signal,
    onOut: () => interruption.abort(),
  });
  assert.match(err, /^Open to the network: listening on 0\.0\.0\.0 without authentication\./);
});

test("the log of a data folder can be verified and dumped; a foreign folder is exit 3", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millpond-cli-"));
  try {
    const data = join(folder, "data");
    const server = await startMillpond({ dataDir: data });
    await millpond(["queue", "create", "orders"], { environment: server.env });
    await millpond(["queue", "send", "orders", "hello"], { environment: server.env });
    const verified = await millpond(["log", "verify", "--data", data]);
    assert.equal(verified.exitCode, 0);
    assert.match(verified.out, /^FILE .*STATE\nshards\/0000\/.* ok\n/);
    const dumped = await millpond(["log", "dump", "--data", data, "--json"]);
    const facts = dumped.out
      .trim()
      .split("\n")
      .flatMap((line) => JSON.parse(line).facts);
    assert.equal(facts.find((fact) => fact.kind === "MessageSent").body, "hello");
    assert.match((await millpond(["log", "dump", "--data", data])).out, /\n {2}MessageSent {2}partition=/);
    const second = await millpond(["serve", "--port", "0", "--data", data]);
    assert.equal(second.exitCode, 3);
    assert.match(second.err, /in use/);
    await server.stop();
    writeFileSync(join(folder, "thesis.txt"), "mine");
    const foreign = await millpond(["serve", "--port", "0", "--data", folder]);
    assert.equal(foreign.exitCode, 3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a key for signing that is of no use stops the start: exit 3, and what to do", async () => {
  const data = mkdtempSync(join(tmpdir(), "millpond-cli-"));
  try {
    await (await startMillpond({ dataDir: data })).stop();
    const file = join(data, "sns-signing.pem");
    writeFileSync(file, "no key");
    const args = ["serve", "--port", "0", "--data", data];
    for (let start = 1; start <= 2; start++) {
      const { exitCode, err } = await millpond(args);
      assert.equal(exitCode, 3);
      assert.match(err, /^Error: \S+sns-signing\.pem has no usable key: .*Restore it from a backup, or remove it/);
    }
    const interruption = new AbortController();
    const scene = { interrupted: interruption.signal, onOut: () => interruption.abort() };
    assert.equal((await millpond([...args, "--no-sns-signing"], scene)).exitCode, 0, "it is not needed then");
    rmSync(file);
    assert.equal((await millpond(args, scene)).exitCode, 0);
  } finally {
    rmSync(data, { recursive: true });
  }
});

test("a table shortens its elastic column to the terminal and lets no control codes through", () => {
  const rows = [{ name: "a", body: "\u001b[31mred\u001b[0m and\nlong" }];
  const columns = [
    { title: "NAME", value: (row: (typeof rows)[number]) => row.name },
    { title: "BODY", value: (row: (typeof rows)[number]) => row.body, isElastic: true },
  ];
  assert.deepEqual(tableLines(rows, columns, 20), ["NAME  BODY", "a      [31mred [0m …"]);
});

test("colour is for terminals that want it", async () => {
  const bold = "\u001b[1m";
  assert.ok((await millpond([], { isTerminal: true })).out.includes(bold));
  assert.ok(!(await millpond([], { isTerminal: true, environment: { NO_COLOR: "1" } })).out.includes(bold));
  assert.ok(!(await millpond([])).out.includes(bold));
});

test("functions are listed, and what they print is shown and followed", async () => {
  await withServer(async (cli, server) => {
    assert.match((await cli("function ls")).err, /^No functions in account/);
    const { status } = await fetch(`${server.endpoint}/2015-03-31/functions`, {
      method: "POST",
      body: JSON.stringify({
        FunctionName: "echo",
        Runtime: "nodejs20.x",
        Handler: "index.handler",
        Role: "arn:aws:iam::000000000000:role/r",
        Code: { ZipFile: ECHO_ZIP },
      }),
    });
    assert.equal(status, 201);
    assert.match((await cli("function logs echo")).err, /^echo has printed nothing/);
    await fetch(`${server.endpoint}/2015-03-31/functions/echo/invocations`, { method: "POST", body: "1" });
    assert.match((await cli("function ls")).out, /^FUNCTION .*\necho +nodejs20\.x +3s +1 +0 +0 +0\n$/);
    const { functions } = JSON.parse((await cli("function ls --json")).out);
    assert.equal(functions[0].counts.invocations, 1);
    const logged = (await cli("function logs echo")).out;
    assert.match(logged, /START RequestId: .*seen 1\n.*END RequestId: .*REPORT/s);
    assert.match(logged, /^\S+Z [\w-]{36} INFO seen 1$/m, "its time is there once");
    const interruption = new AbortController();
    const following = cli("function logs echo --follow", {
      interrupted: interruption.signal,
      onOut: () => interruption.abort(),
    });
    assert.match((await following).out, /seen 1\n/);
    assert.match((await cli("function logs absent")).err, /There is no function/);
  });
});

test("an interrupted receive ends at once, with its own exit code", async () => {
  await withServer(async (cli) => {
    await cli("queue create quiet");
    const interruption = new AbortController();
    const waiting = cli("queue receive quiet --wait 20s", { interrupted: interruption.signal });
    await cli("queue ls");
    interruption.abort();
    assert.deepEqual(await waiting, { exitCode: 130, out: "", err: "Error: Interrupted.\n" });
  });
});

test("dev says where a mistake in the config file is and starts nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millpond-cli-"));
  try {
    const config = join(folder, "millpond.config.json");
    const missing = await millpond(["dev", "--config", config]);
    assert.equal(missing.exitCode, 2);
    assert.match(missing.err, /cannot be read: ENOENT/);
    writeFileSync(config, '{\n  "queues": { "a": {} },\n  "topix": {}\n}');
    const wrong = await millpond(["dev", "--config", config]);
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.err, /millpond\.config\.json:3: topix is not known; there are server, queues/);
    assert.equal(wrong.out, "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("live lines stay below what is printed, are drawn again only when they change, and do not wrap", () => {
  let out = "";
  const write = (text: string) => {
    out += text;
  };
  const sink = { write, columns: 10, isColour: false };
  const output = new Output(false, sink, sink);
  output.live(["a: 1", "b: 22222222222"]);
  assert.equal(out, "a: 1\nb: 2222222\n");
  out = "";
  output.live(["a: 1", "b: 22222222222"]);
  assert.equal(out, "");
  output.line("printed");
  assert.equal(out, "\u001b[2A\u001b[Jprinted\na: 1\nb: 2222222\n");
  out = "";
  output.live([]);
  output.note("said");
  assert.equal(out, "\u001b[2A\u001b[Jsaid\n");
});
