// Long polls that wait for nothing: what does a server spend on them? Only the time in which all of them wait is
// measured, not the asking before it and not the empty answers after it.

import { cpuSecondsOf } from "../run/processes.ts";
import { HttpClient } from "./http-client.ts";
import { difference } from "./loop.ts";
import type { ParkOrder, ParkResult } from "./orders.ts";
import { encode } from "./sqs-protocol.ts";

const WAIT_SECONDS = 20;
/** For the server to take them all in: at rest, and for each. */
const SETTLE_MS = 1500;
const SETTLE_MS_PER_POLL = 0.3;
/** An answer to a poll is short, and there are ten thousand clients. */
const READ_BUFFER_BYTES = 2048;
/** Connections opened at a time: a listening socket's backlog is short. */
const OPEN_AT_ONCE = 200;
const OPEN_GAP_MS = 20;

export async function park({
  endpoint,
  protocol,
  queueUrl,
  connections,
  seconds,
  serverPids,
}: ParkOrder): Promise<ParkResult> {
  const clients: HttpClient[] = [];
  let isClosing = false;
  let early: string | undefined;
  const startedAtMs = performance.now();
  try {
    for (let opened = 0; opened < connections; opened++) {
      const client = new HttpClient(endpoint, READ_BUFFER_BYTES);
      clients.push(client);
      const receive = encode(client, protocol, "ReceiveMessage", { QueueUrl: queueUrl, WaitTimeSeconds: WAIT_SECONDS });
      client.send(receive).then(
        ({ status }) => {
          early ??= `a long poll was answered early, with ${status}`;
        },
        (error: Error) => {
          if (!isClosing) early ??= error.message;
        },
      );
      if (opened % OPEN_AT_ONCE === OPEN_AT_ONCE - 1) await pause(OPEN_GAP_MS);
    }
    await pause(SETTLE_MS + connections * SETTLE_MS_PER_POLL);
    const fromMs = performance.now();
    const before = cpuSecondsOf(serverPids);
    await pause(seconds * 1000);
    const serverCpuSeconds = difference(cpuSecondsOf(serverPids), before);
    const tookSeconds = (performance.now() - fromMs) / 1000;
    if (performance.now() - startedAtMs > WAIT_SECONDS * 1000) early ??= "opening took so long that polls ran out";
    if (early !== undefined) throw new Error(early);
    return { seconds: tookSeconds, serverCpuSeconds };
  } finally {
    isClosing = true;
    for (const client of clients) client.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
