// The closed loop. The first wrong answer ends the run with an error: nothing of it reaches a table.

import { quantile } from "../report/statistics.ts";
import { cpuSecondsOf, machineBusySeconds } from "../run/processes.ts";
import { type Exchange, HttpClient } from "./http-client.ts";
import type { LoopOrder, LoopResult } from "./orders.ts";
import { held } from "./queues.ts";
import { makeStep, type Step } from "./steps.ts";

export async function runLoop(order: LoopOrder, probe: HttpClient): Promise<LoopResult> {
  const { endpoint, protocol, queueUrl, serverPids } = order;
  const step = makeStep(order.work, { protocol, queueUrl, held }, probe);
  const { exchanges, stepMessages } = await probeSizes(step, probe);
  const clients = Array.from({ length: order.connections }, () => new HttpClient(endpoint));
  try {
    // The warm-up takes at most half of what may be moved, so that the measured time finds a backlog too.
    const messagesMax = order.messagesMax ?? Number.POSITIVE_INFINITY;
    await loop(clients, step, order.warmUpSeconds, messagesMax / 4, []);
    const stepsMs: number[] = [];
    const cpuBefore = process.cpuUsage();
    const serverBefore = cpuSecondsOf(serverPids);
    const busyBefore = machineBusySeconds();
    const fromMs = performance.now();
    const messages = await loop(clients, step, order.seconds, messagesMax, stepsMs);
    const seconds = (performance.now() - fromMs) / 1000;
    const serverAfter = cpuSecondsOf(serverPids);
    const busyAfter = machineBusySeconds();
    const { user, system } = process.cpuUsage(cpuBefore);
    stepsMs.sort((a, b) => a - b);
    return {
      messages,
      seconds,
      p50Ms: quantile(stepsMs, 0.5),
      p99Ms: quantile(stepsMs, 0.99),
      serverCpuSeconds: difference(serverAfter, serverBefore),
      loadCpuSeconds: (user + system) / 1e6,
      machineBusySeconds: difference(busyAfter, busyBefore),
      reconnects: clients.reduce((sum, client) => sum + client.reconnects, 0),
      exchanges,
      stepMessages,
    };
  } finally {
    for (const client of clients) client.close();
  }
}

export function difference(after: number | undefined, before: number | undefined): number | undefined {
  return after === undefined || before === undefined ? undefined : after - before;
}

async function probeSizes(step: Step, client: HttpClient): Promise<{ exchanges: Exchange[]; stepMessages: number }> {
  const exchanges: Exchange[] = [];
  client.exchanges = exchanges;
  const stepMessages = await step(client);
  client.exchanges = undefined;
  return { exchanges, stepMessages };
}

async function loop(
  clients: HttpClient[],
  step: Step,
  seconds: number,
  messagesMax: number,
  stepsMs: number[],
): Promise<number> {
  const untilMs = performance.now() + seconds * 1000;
  let messages = 0;
  let isOver = false;
  const run = async (client: HttpClient) => {
    for (let fromMs = performance.now(); fromMs < untilMs && messages < messagesMax && !isOver; ) {
      // Not `messages += await …`: that reads the sum before the wait and loses what others add meanwhile.
      const moved = await step(client);
      messages += moved;
      const nowMs = performance.now();
      stepsMs.push(nowMs - fromMs);
      fromMs = nowMs;
    }
  };
  try {
    await Promise.all(clients.map(run));
  } finally {
    isOver = true;
  }
  return messages;
}
