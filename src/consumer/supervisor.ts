// Tells the `millpond work` that started this process when a consumer's breaker opens and closes: more workers in front of
// a dead downstream help nobody, and the worker knows first. Says nothing to a parent that did not ask for it.

import { type BreakerNews, SUPERVISOR_LISTENS, SUPERVISOR_VARIABLE } from "../base/breaker-news.ts";
import type { Emitter } from "./events.ts";

let consumers = 0;

/** From now on. A consumer that stops with its breaker open is no obstacle any more, so that is told as closed. */
export function tellSupervisor(events: Emitter): void {
  if (process.env[SUPERVISOR_VARIABLE] !== SUPERVISOR_LISTENS || process.send === undefined) return;
  const consumer = ++consumers;
  events.on("breakerOpened", () => send({ millpond: "breakerOpened", consumer }));
  events.on("breakerClosed", () => send({ millpond: "breakerClosed", consumer }));
  events.on("stopped", () => send({ millpond: "breakerClosed", consumer }));
}

function send(news: BreakerNews): void {
  // The supervisor may be gone. Its worker goes on without it.
  process.send?.(news, undefined, undefined, () => {});
}
