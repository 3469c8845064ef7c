// The load generator's process: takes orders over Node's own channel, one at a time, and answers each with its result or
// with what was wrong. It lives through a whole benchmark, so that its code is compiled when it matters.

import { HttpClient } from "./http-client.ts";
import { latency } from "./latency.ts";
import { runLoop } from "./loop.ts";
import type { Order } from "./orders.ts";
import { park } from "./park.ts";
import { deleteQueue, fill, hold } from "./queues.ts";

export type Reply = { result: unknown } | { error: string };

process.on("message", (order: Order) => {
  carryOut(order).then(
    (result) => process.send?.({ result: result ?? null } satisfies Reply),
    (error: Error) => process.send?.({ error: error.message } satisfies Reply),
  );
});
process.on("disconnect", () => process.exit(0));

async function carryOut(order: Order): Promise<unknown> {
  const client = new HttpClient(order.endpoint);
  try {
    switch (order.kind) {
      case "loop":
        return await runLoop(order, client);
      case "fill":
        return await fill(order, client);
      case "deleteQueue":
        return await deleteQueue(order, client);
      case "hold":
        return await hold(order, client);
      case "latency":
        return await latency(order, client);
      case "park":
        return await park(order);
    }
  } finally {
    client.close();
  }
}
