// The downstream fails on everything for a minute. The breaker opens, the backlog waits in the queue, nothing reaches
// the dead-letter queue, and all of it is worked off when the downstream is back.

import { consume } from "millpond/consumer";
import { deadLetterUrl, depth, freshQueue, type Stage, send, sleep, stopwatch } from "../stage.ts";

const MESSAGES = 50;

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "downstream", { VisibilityTimeout: 10, maxReceiveCount: 3 });
  for (let index = 0; index < MESSAGES; index++) await send(stage, url, { index });
  const at = stopwatch(stage);
  const startMs = stage.clock.nowMs();
  const isDead = () => stage.clock.nowMs() - startMs < 60_000;
  let callsWhileDead = 0;
  const consumer = consume({
    queue: url,
    client: stage.sqs,
    clock: stage.clock,
    abortPolls: true,
    breaker: { minSamples: 5, openFor: "10s" },
    handler: async () => {
      await sleep(stage, 50);
      if (!isDead()) return;
      callsWhileDead += 1;
      throw new Error("503 from the downstream");
    },
  });
  consumer.on("breakerOpened", ({ failures, samples }) =>
    stage.say(`${at()}: ${failures} of ${samples} calls failed, the breaker opens`),
  );
  consumer.on("breakerClosed", () => stage.say(`${at()}: a probe got through, the breaker closes`));
  await consumer.start();
  let deadWhileOpen = 0;
  for (let look = 0; look < 6; look++) {
    await sleep(stage, 9900);
    const { visible, inFlight } = await depth(stage, url);
    deadWhileOpen += (await depth(stage, deadLetterUrl(url))).visible;
    stage.say(
      `${at()}: ${visible + inFlight} messages wait, ${callsWhileDead} calls so far, breaker ${consumer.stats().breaker}`,
    );
  }
  await sleep(stage, 30_000);
  await consumer.stop();
  const left = await depth(stage, url);
  const dead = (await depth(stage, deadLetterUrl(url))).visible;
  const { done } = consumer.stats();
  stage.say(`${at()}: ${done} of ${MESSAGES} worked off, ${dead} in the dead-letter queue`);
  return { done, dead, deadWhileOpen, left: left.visible + left.inFlight, callsWhileDead };
}
