// The same with a function under an event source mapping: it has no breaker, so somebody switches the mapping off. What
// waits in the queue loses no receive meanwhile, and all is worked off when the mapping is on again.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type FunctionStage, freshFunction, map, switchMapping, until } from "../functions.ts";
import { arnOf, deadLetterUrl, depth, freshQueue, send, sleep, stopwatch } from "../stage.ts";

const MESSAGES = 20;
const DEAD_MS = 7000;

export async function story(stage: FunctionStage) {
  const downstream = await openDownstream();
  try {
    return await tell(stage, downstream);
  } finally {
    downstream.close();
  }
}

async function tell(stage: FunctionStage, downstream: Downstream) {
  const url = await freshQueue(stage, "forwarding", { VisibilityTimeout: 3, maxReceiveCount: 3 });
  const environment = { DOWNSTREAM: downstream.url };
  await freshFunction(stage, "forward", { file: "s11-dead-downstream/forward.mjs", timeout: 3, environment });
  const at = stopwatch(stage);
  const waiting = async () => {
    const { visible, inFlight } = await depth(stage, url);
    return visible + inFlight;
  };
  const mapping = await map(stage, { FunctionName: "forward", EventSourceArn: await arnOf(stage, url) });
  for (let index = 0; index < MESSAGES; index++) await send(stage, url, { index });
  await until(stage, "a call fails", () => downstream.refused > 0);
  await switchMapping(stage, mapping, false);
  const { refused } = downstream;
  stage.say(`${at()}: the downstream refused ${refused} calls; the mapping is off, ${await waiting()} messages wait`);
  await sleep(stage, DEAD_MS);
  const dead = (await depth(stage, deadLetterUrl(url))).visible;
  const callsWhileOff = downstream.refused - refused;
  stage.say(
    `${at()}: ${callsWhileOff} calls since, ${await waiting()} messages wait, ${dead} in the dead-letter queue`,
  );
  downstream.isDead = false;
  await switchMapping(stage, mapping, true);
  await until(stage, "the backlog is gone", async () => (await waiting()) === 0);
  const deadInTheEnd = (await depth(stage, deadLetterUrl(url))).visible;
  const done = downstream.taken.size;
  stage.say(`${at()}: on again: ${done} of ${MESSAGES} worked off, ${deadInTheEnd} in the dead-letter queue`);
  await switchMapping(stage, mapping, false);
  return { done, callsWhileOff, dead, deadInTheEnd };
}

interface Downstream {
  url: string;
  isDead: boolean;
  refused: number;
  /** Bodies. */
  taken: Set<string>;
  close(): void;
}

async function openDownstream(): Promise<Downstream> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (downstream.isDead) downstream.refused += 1;
      else downstream.taken.add(Buffer.concat(parts).toString());
      response.writeHead(downstream.isDead ? 503 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const downstream: Downstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isDead: true,
    refused: 0,
    taken: new Set(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return downstream;
}
