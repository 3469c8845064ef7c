// Publishers that do not wait for each other: a publish is due at a fixed time, whatever became of those before it. Its
// time counts from when it was due, not from when it could be sent: a server that stands still for a second has made
// all of that second's publishers wait, and not one of them.

import type { SnsClient } from "./sns-client.ts";

/** More publishes than this under way, and the next ones wait for a connection, which counts. */
const CONNECTIONS_MAX = 64;

export interface Pace {
  perSecond: number;
  seconds: number;
}

/** From due to answered, milliseconds, in the order of the answers. Timers are of a millisecond: up to so much is ours. */
export async function publishPaced(connect: () => SnsClient, request: Buffer, pace: Pace): Promise<number[]> {
  const count = Math.round(pace.perSecond * pace.seconds);
  const timesMs: number[] = [];
  const dueAtMs: number[] = [];
  const clients = Array.from({ length: CONNECTIONS_MAX }, connect);
  const free = [...clients];
  const sendDue = async (): Promise<void> => {
    const client = free.pop();
    if (client === undefined) return;
    for (let atMs = dueAtMs.shift(); atMs !== undefined; atMs = dueAtMs.shift()) {
      await client.send(request, 1);
      timesMs.push(performance.now() - atMs);
    }
    free.push(client);
  };
  const sending: Promise<void>[] = [];
  try {
    const fromMs = performance.now();
    for (let index = 0; index < count; index++) {
      const atMs = fromMs + (index * 1000) / pace.perSecond;
      const waitMs = atMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.ceil(waitMs)));
      dueAtMs.push(atMs);
      const sent = sendDue();
      // What fails is told at the end.
      sent.catch(() => undefined);
      sending.push(sent);
    }
    await Promise.all(sending);
  } finally {
    for (const client of clients) client.close();
  }
  return timesMs;
}
