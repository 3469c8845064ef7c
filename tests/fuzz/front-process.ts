// The attacked server as its attackers see it: where it answers, whether it still does, and what it costs.

import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrontTimeouts } from "../../src/server/front-limits.ts";
import type { Settings } from "../../src/server/index.ts";
import { LeanClient } from "../support/lean-client.ts";

const ANSWER_MS_MAX = 1000;
/** Heap that leaks is a crash soon, not a slow machine. */
const HEAP_MIB = 128;
const PROGRAM = join(import.meta.dirname, "front-program.js");

export class FrontProcess {
  readonly #child: ChildProcess;
  readonly endpoint: string;
  readonly port: number;
  #exit: string | undefined;

  static async start(timeouts: FrontTimeouts, httpFront: Settings["httpFront"]): Promise<FrontProcess> {
    const execArgv = [`--max-old-space-size=${HEAP_MIB}`, "--enable-source-maps"];
    const child = fork(PROGRAM, [JSON.stringify(timeouts), httpFront], { execArgv });
    const [endpoint] = await Promise.race([once(child, "message"), once(child, "exit")]);
    if (typeof endpoint !== "string") throw new Error(`the server ended with code ${endpoint} before it was ready`);
    return new FrontProcess(child, endpoint);
  }

  private constructor(child: ChildProcess, endpoint: string) {
    this.#child = child;
    this.endpoint = endpoint;
    this.port = Number(new URL(endpoint).port);
    child.once("exit", (code, signal) => {
      this.#exit = `code ${code}, signal ${signal}`;
    });
  }

  /** A client that does everything right is answered in time; nothing was found out to be a bug meanwhile. */
  async assertWell(): Promise<void> {
    assert.equal(this.#exit, undefined, "the server died");
    const tookMs = Math.min(await this.#timeToAnswer(), await this.#timeToAnswer());
    assert.ok(tookMs <= ANSWER_MS_MAX, `a normal request took ${Math.round(tookMs)} ms`);
    this.#child.send("bugs");
    const [bugs] = await Promise.race([once(this.#child, "message"), once(this.#child, "exit")]);
    assert.deepEqual(bugs, []);
  }

  async messageCount(queueName: string): Promise<number> {
    const client = new LeanClient(this.endpoint);
    const QueueUrl = `${this.endpoint}/000000000000/${queueName}`;
    const { Attributes } = await client.call("GetQueueAttributes", { QueueUrl, AttributeNames: ["All"] });
    client.close();
    return Number(Attributes.ApproximateNumberOfMessages);
  }

  async createQueue(name: string): Promise<void> {
    const client = new LeanClient(this.endpoint);
    await client.call("CreateQueue", { QueueName: name });
    client.close();
  }

  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    if (this.#exit !== undefined) return;
    this.#child.send("stop");
    await once(this.#child, "exit");
  }

  async #timeToAnswer(): Promise<number> {
    const client = new LeanClient(this.endpoint);
    const startedAtMs = performance.now();
    await client.call("ListQueues", {});
    client.close();
    return performance.now() - startedAtMs;
  }
}
