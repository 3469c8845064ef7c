// What `millpond dev` shows. On a terminal the state of queues and functions stays at the bottom and is drawn anew; piped,
// there is a line for each change of it. What functions print runs above.

import type { Change, DevReporter, Status } from "../dev/index.ts";
import type { RunningServer } from "../server/index.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./output.ts";
import { printStart } from "./start-block.ts";

/** Time, request id and level before what a Node function logs. */
const CONSOLE_PREFIX = /^\d{4}-[\d:T.-]+Z\t[\w-]*\t(?:INFO\t)?/;

export class DevScreen implements DevReporter {
  readonly #output: Output;
  /** By kind and name: the line shown last. */
  readonly #shown = new Map<string, string>();

  constructor(output: Output) {
    this.#output = output;
  }

  onStarted(server: RunningServer, changes: Change[]): void {
    printStart(server, this.#output);
    this.#changes(changes);
  }

  onReloaded(changes: Change[], left: string[]): void {
    this.#changes(changes);
    for (const name of left) {
      const text = `no longer declared, stays as it is: ${name}`;
      if (this.#output.isJson) this.#output.json({ event: "left", name });
      else this.#output.line(this.#output.style("dim", text));
    }
  }

  onMistakes(message: string): void {
    if (this.#output.isJson) this.#output.note(JSON.stringify({ error: "SettingInvalid", message }));
    else this.#output.note(this.#output.styleNote("yellow", message));
  }

  onFunctionReloaded(name: string): void {
    if (this.#output.isJson) this.#output.json({ event: "functionReloaded", name });
    else this.#output.line(this.#output.style("green", `function ${name}: its code changed and is loaded anew`));
  }

  onPrinted(functionName: string, atMs: number, text: string): void {
    if (this.#output.isJson) return this.#output.json({ event: "printed", function: functionName, atMs, text });
    // Lambda's frame around each invocation; its failures have lines of their own.
    if (/^(?:(?:START|END|REPORT) RequestId:|INIT_START) /.test(text)) return;
    this.#output.line(`${this.#output.style("cyan", functionName)} | ${oneLine(text.replace(CONSOLE_PREFIX, ""))}`);
  }

  onStatus(statuses: Status[]): void {
    if (this.#output.isLive && !this.#output.isJson) {
      const width = Math.max(0, ...statuses.map(({ name }) => name.length));
      this.#output.live(statuses.map((status) => lineOf(status, width)));
      return;
    }
    for (const status of statuses) {
      const key = `${status.is} ${status.name}`;
      const line = lineOf(status, 0);
      if (this.#shown.get(key) === line) continue;
      this.#shown.set(key, line);
      const { is, ...fields } = status;
      this.#output.result({ event: is, ...fields }, line);
    }
  }

  #changes(changes: Change[]): void {
    for (const { what, name, how } of changes) {
      if (this.#output.isJson) this.#output.json({ event: how, what, name });
      else this.#output.line(this.#output.style("green", `${how} ${what} ${name}`));
    }
  }
}

function lineOf(status: Status, width: number): string {
  const title = `${status.is.padEnd(8)}  ${status.name.padEnd(width)}`;
  if (status.is === "queue") {
    const delayed = status.delayed === 0 ? "" : `, ${status.delayed} delayed`;
    return `${title}  ${status.waiting} waiting, ${status.inFlight} in flight${delayed}`;
  }
  const { calls, failed, messagesFailed, throttled, running } = status;
  const turnedAway = throttled === 0 ? "" : `, ${throttled} throttled`;
  const sentBack = messagesFailed === 0 ? "" : `, ${counted(messagesFailed, "message")} sent back`;
  return `${title}  ${counted(calls, "call")}, ${failed} failed${sentBack}${turnedAway}, ${running} running`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
