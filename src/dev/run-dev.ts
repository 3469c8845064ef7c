// A server with everything that a config file declares, until it is interrupted. It looks around a few times a second:
// at the file, at what functions printed, at how queues and functions are.

import { setTimeout as sleep } from "node:timers/promises";
import { isFault } from "../base/fault.ts";
import type { Environment, Settings } from "../config/index.ts";
import { ACCOUNT_DEFAULT, resolveSettings } from "../config/index.ts";
import { functionArn } from "../host/index.ts";
import type { LogSink, RunningServer, ServerParts } from "../server/index.ts";
import { startResolved } from "../server/index.ts";
import { loadProject, versionOfFile } from "./load-project.ts";
import type { Project } from "./project.ts";
import type { Change, DeclareWorld } from "./reconcile.ts";
import { reconcile, switchOffGone } from "./reconcile.ts";
import type { Status } from "./status.ts";
import { statusOf } from "./status.ts";

const LOOK_EVERY_MS = 150;

export interface DevOptions {
  /** The config file. */
  path: string;
  /** Stronger than the file's `server`; by flag name. */
  flags: Readonly<Record<string, string | boolean>>;
  environment: Environment;
  log: LogSink;
  reporter: DevReporter;
  /** What a test may replace of the server. */
  parts?: Omit<ServerParts, "log">;
  /** Ends it. */
  interrupted: AbortSignal;
}

/** Told about what people want to see. */
export interface DevReporter {
  onStarted(server: RunningServer, changes: Change[]): void;
  /** The file was read again: what became of it, and what is no longer in it and stays all the same. */
  onReloaded(changes: Change[], left: string[]): void;
  /** The file was read again and has mistakes; what there was goes on. */
  onMistakes(message: string): void;
  onFunctionReloaded(name: string): void;
  /** A line that a function printed. */
  onPrinted(functionName: string, atMs: number, text: string): void;
  onStatus(statuses: Status[]): void;
}

/** Resolves when everything has stopped; rejects with a Fault when it cannot start. */
export async function runDev(options: DevOptions): Promise<void> {
  const { path, log, reporter, interrupted } = options;
  let version = versionOfFile(path);
  const project = await loadProject(path);
  const server = await startResolved(settingsFor(options, project), { ...options.parts, log });
  try {
    const world = { host: server.queues, scope: { account: ACCOUNT_DEFAULT, region: server.settings.region } };
    reporter.onStarted(server, await reconcile(world, project));
    const watched = new Watched(server, world, reporter);
    let current = project;
    let seen = version;
    while (!interrupted.aborted) {
      const newer = versionOfFile(path);
      // Read when it has been the same for two looks: some editors write a file in pieces.
      if (newer !== undefined && newer !== version && newer === seen) {
        version = newer;
        current = await reload(options, world, current);
      }
      seen = newer;
      await watched.look(current);
      await sleep(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => {});
    }
  } finally {
    await server.stop();
  }
}

/** The project from now on: the one before when the new one has mistakes. */
async function reload({ path, reporter }: DevOptions, world: DeclareWorld, before: Project): Promise<Project> {
  try {
    const project = await loadProject(path);
    const changes = [...(await reconcile(world, project)), ...(await switchOffGone(world, before, project))];
    reporter.onReloaded(changes, goneFrom(before, project));
    if (JSON.stringify(project.server) !== JSON.stringify(before.server)) {
      reporter.onMistakes(`${path}: "server" was changed, which needs a new start; everything else is as declared.`);
    }
    return project;
  } catch (error) {
    if (!isFault(error, "SettingInvalid")) throw error;
    reporter.onMistakes(`${error.message}\nWhat there was goes on; correct the file to have it read again.`);
    return before;
  }
}

function settingsFor({ path, flags, environment }: DevOptions, { server }: Project): Settings {
  const saysWhere = ["data", "memory"].some(
    (name) => name in flags || name in server || environment[`MILLPOND_${name.toUpperCase()}`],
  );
  const file = saysWhere ? server : { ...server, memory: true };
  return resolveSettings({
    flags: { ...flags, config: path },
    environment,
    readFile: () => JSON.stringify(file),
  }).settings;
}

function goneFrom(before: Project, now: Project): string[] {
  const names = ({ queues, topics, functions }: Project) => [
    ...queues.map(({ name }) => `queue ${name}`),
    ...topics.map(({ name }) => `topic ${name}`),
    ...functions.map(({ name }) => `function ${name}`),
  ];
  const kept = new Set(names(now));
  return names(before).filter((name) => !kept.has(name));
}

/** What was seen last, so that only news is told. */
class Watched {
  readonly #server: RunningServer;
  readonly #world: DeclareWorld;
  readonly #reporter: DevReporter;
  /** By function: the number of the next line, and how often its code was loaded anew. */
  readonly #nextLines = new Map<string, number>();
  readonly #reloads = new Map<string, number>();

  constructor(server: RunningServer, world: DeclareWorld, reporter: DevReporter) {
    this.#server = server;
    this.#world = world;
    this.#reporter = reporter;
  }

  async look(project: Project): Promise<void> {
    const statuses = await statusOf(this.#server, this.#world, project);
    for (const { name } of project.functions) this.#printed(name);
    for (const status of statuses) {
      if (status.is !== "function") continue;
      if (status.reloads > (this.#reloads.get(status.name) ?? 0)) this.#reporter.onFunctionReloaded(status.name);
      this.#reloads.set(status.name, status.reloads);
    }
    this.#reporter.onStatus(statuses);
  }

  #printed(name: string): void {
    const after = this.#nextLines.get(name) ?? 0;
    const logs = this.#server.functions.logs(functionArn({ ...this.#world.scope, name }), after);
    if (logs === undefined) return;
    this.#nextLines.set(name, logs.next);
    const missed = logs.next - after - logs.lines.length;
    if (missed > 0) this.#reporter.onPrinted(name, logs.lines[0]?.atMs ?? 0, `(${missed} lines more, not kept)`);
    for (const { atMs, text } of logs.lines) this.#reporter.onPrinted(name, atMs, text);
  }
}
