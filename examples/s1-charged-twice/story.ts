// A worker that takes longer than the visibility timeout and never deletes: one payment, three charges.

import { deadLetterUrl, freshQueue, receive, type Stage, send, sleep, stopwatch } from "../stage.ts";

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "payments", { VisibilityTimeout: 2, maxReceiveCount: 3 });
  const body = '{"payment":"p-1","amount":49.90}';
  const id = await send(stage, url, body);
  const at = stopwatch(stage);
  const startMs = stage.clock.nowMs();
  stage.say(`sent ${body}`);
  const charges: { id: string; receiveCount: number; atSeconds: number }[] = [];
  while (stage.clock.nowMs() - startMs < 9000) {
    for (const message of await receive(stage, url, 1)) {
      const receiveCount = Number(message.Attributes?.ApproximateReceiveCount);
      charges.push({
        id: message.MessageId as string,
        receiveCount,
        atSeconds: Math.round((stage.clock.nowMs() - startMs) / 1000),
      });
      stage.say(`${at()}: charged the card for ${message.MessageId} (receive ${receiveCount}), and works on …`);
    }
  }
  await sleep(stage, 100);
  const dead = await receive(stage, deadLetterUrl(url));
  stage.say(`${at()}: the queue is empty; the dead-letter queue has ${dead.map(({ Body }) => Body).join(", ")}`);
  stage.say("One payment, three charges: the work took longer than the visibility timeout of 2 s. See s2-heartbeat.");
  return { id, body, charges, dead: dead.map(({ Body }) => Body) };
}
