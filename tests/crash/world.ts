// The server under test, its life and deaths, and the workers that live through them. A worker repeats its step with
// a connection of its own; when the server dies it waits for the next one and goes on.

import { performance } from "node:perf_hooks";
import { ConnectionLost, LeanClient } from "../support/lean-client.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { type Ended, type ServerProcess, startServe } from "../support/server-process.ts";

/** Queue URLs outlive the server's port: only their path says which queue is meant. */
export function queueUrl(name: string): string {
  return `http://queues.test/000000000000/${name}`;
}

export function queueArn(name: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${name}`;
}

export class World {
  readonly #serveArgs: string[];
  #server: ServerProcess | undefined;
  #endpoint: Promise<string>;
  #announce: (endpoint: string) => void = () => undefined;
  killCount = 0;
  #isUp = false;
  #isAbandoned = false;
  readonly restartMs: number[] = [];

  constructor(serveArgs: string[]) {
    this.#serveArgs = serveArgs;
    this.#endpoint = this.#promiseEndpoint();
  }

  /** Resolves while a server is up, or once the next one is. */
  endpoint(): Promise<string> {
    return this.#endpoint;
  }

  async start(): Promise<void> {
    const startedAtMs = performance.now();
    const server = this.#spawn();
    const endpoint = await server.ready;
    this.restartMs.push(performance.now() - startedAtMs);
    this.#isUp = true;
    this.#announce(endpoint);
  }

  /** kill -9, now. */
  async kill(): Promise<void> {
    this.#goDown();
    this.killCount += 1;
    await this.#server?.signal("SIGKILL");
  }

  /** SIGSTOP: the server stands still with its connections open, until `resume` or `kill`. */
  suspend(): void {
    void this.#server?.signal("SIGSTOP");
  }

  resume(): void {
    void this.#server?.signal("SIGCONT");
  }

  /** A start that does not live to serve, or only just. */
  async startAndKill(afterMs: number): Promise<void> {
    this.#spawn();
    await sleep(afterMs);
    await this.kill();
  }

  /** Of the server that answers; undefined while none does. */
  get pid(): number | undefined {
    return this.#isUp ? this.#server?.pid : undefined;
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** The test is over, however it went: nothing is started any more. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await this.#server?.signal("SIGKILL");
  }

  terminate(): Promise<Ended> {
    this.#goDown();
    return (this.#server as ServerProcess).signal("SIGTERM");
  }

  async withClient<Value>(use: (client: LeanClient) => Promise<Value>): Promise<Value> {
    const client = new LeanClient(await this.endpoint());
    try {
      return await use(client);
    } finally {
      client.close();
    }
  }

  #spawn(): ServerProcess {
    this.#server = startServe(this.#serveArgs);
    return this.#server;
  }

  /** Who waits for the next server goes on waiting when a start is killed. */
  #goDown(): void {
    if (this.#isUp) this.#endpoint = this.#promiseEndpoint();
    this.#isUp = false;
  }

  #promiseEndpoint(): Promise<string> {
    return new Promise((resolve) => {
      this.#announce = resolve;
    });
  }
}

/** Runs `step` over and over until `isDone`; a step that lost its connection has seen to its books itself. */
export async function work(
  world: World,
  isDone: () => boolean,
  step: (client: LeanClient) => Promise<void>,
): Promise<void> {
  while (!isDone()) {
    await world.withClient(async (client) => {
      try {
        while (!isDone()) await step(client);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    });
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Lets the server live for a random while, then kills it, `kills` times; every so often also during its start. */
export async function killAtRandom(
  world: World,
  kills: number,
  random: SeededRandom,
  afterRestart: () => Promise<void>,
): Promise<void> {
  while (world.killCount < kills) {
    await sleep(random.between(30, 900));
    if (world.isAbandoned) return;
    await world.kill();
    if (world.killCount < kills && random.chance(0.15)) await world.startAndKill(random.between(20, 400));
    await world.start();
    await afterRestart();
  }
}
