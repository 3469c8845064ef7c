// Real servers for the stores, each on a free port and a folder of its own, stopped by their process id. One that this
// machine does not have is named loudly, and its tests are skipped: scripts/install-test-tools.sh installs it.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../support/project.ts";

const START_MS_MAX = 60_000;

export interface TestServer {
  port: number;
  stop(): Promise<void>;
}

export interface Tool {
  name: string;
  /** Undefined when it is not installed. */
  start: (() => Promise<TestServer>) | undefined;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function postgresTool(): Tool {
  const folders = [...pathFolders(), ...debianPostgresFolders()];
  const bin = folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
  return tool("PostgreSQL", bin && (() => startPostgres(bin)));
}

export function redisTool(): Tool {
  const program = pathFolders()
    .flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")])
    .find((path) => existsSync(path));
  return tool("Redis", program && (() => startRedis(program)));
}

export function dynamoDbTool(): Tool {
  const platform = `${process.platform}-${process.arch}`;
  const program = join(projectRoot, ".tools", "dynoxide", "node_modules", "@dynoxide", platform, "dynoxide");
  return tool("A DynamoDB-compatible server (dynoxide)", existsSync(program) && (() => startDynamoDb(program)));
}

function tool(name: string, start: (() => Promise<TestServer>) | string | false | undefined): Tool {
  if (typeof start === "function") return { name, start };
  console.log(`SKIPPED: ${name} is not installed, so nothing is tested against it. Run scripts/install-test-tools.sh.`);
  return { name, start: undefined };
}

function pathFolders(): string[] {
  return [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/usr/sbin"];
}

/** Debian keeps the server's programs out of PATH, a folder for each major version. */
function debianPostgresFolders(): string[] {
  const root = "/usr/lib/postgresql";
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, "bin")) : [];
}

async function startPostgres(bin: string): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "millpond-postgres-"));
  const owner = notRoot();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "millpond", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(bin, "initdb"), init, { ...owner, cwd: folder, stdio: "ignore" });
  const port = await freePort();
  // What is killed here are workers, never the database: it may keep its data in memory for speed.
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "fsync=off"];
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  return start(join(bin, "postgres"), args, {
    port,
    folder,
    stopSignal: "SIGINT",
    readyWords: "ready to accept connections",
    ...owner,
  });
}

async function startRedis(program: string): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "millpond-redis-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  return start(program, args, { port, folder, stopSignal: "SIGTERM" });
}

async function startDynamoDb(program: string): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "millpond-dynamodb-"));
  const port = await freePort();
  return start(program, ["serve", "--host", "127.0.0.1", "--port", String(port)], {
    port,
    folder,
    stopSignal: "SIGTERM",
  });
}

interface Start {
  port: number;
  folder: string;
  stopSignal: NodeJS.Signals;
  /** What it says when it can be used, where taking connections is not enough. */
  readyWords?: string;
  uid?: number;
  gid?: number;
}

async function start(
  program: string,
  args: string[],
  { port, folder, stopSignal, readyWords = "", ...owner }: Start,
): Promise<TestServer> {
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], ...owner });
  running.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void ended.then(() => running.delete(child));
  const giveUpAtMs = Date.now() + START_MS_MAX;
  while (!said.includes(readyWords) || !(await answers(port))) {
    if (child.exitCode !== null || Date.now() > giveUpAtMs) {
      child.kill("SIGKILL");
      throw new Error(`${program} did not start: ${said}`);
    }
    await sleep(20);
  }
  return {
    port,
    stop: async () => {
      child.kill(stopSignal);
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, which tests in a container often do. */
function notRoot(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ["postgres", "nobody"]) {
    try {
      const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, user], { stdio: "pipe" })));
      return { uid: uid as number, gid: gid as number };
    } catch {
      // No such user; the next one.
    }
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
