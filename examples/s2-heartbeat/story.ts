// 4.5 s of work under a visibility timeout of 2 s: a heartbeat every 1.5 s keeps the message; a dead worker loses it.

import { consume, type SdkClient } from "millpond/consumer";
import { freshQueue, receive, type Stage, send, sleep, stopwatch } from "../stage.ts";

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "heartbeat", { VisibilityTimeout: 2 });
  const at = stopwatch(stage);
  const { sqs, clock } = stage;
  const heartbeat = { every: "1500ms", extendBy: "2s" };
  const options = { queue: url, client: sqs, clock, decode: "text", heartbeat, concurrency: 1, prefetch: 0 } as const;

  await send(stage, url, "render the film");
  let done = 0;
  const worker = consume({
    ...options,
    handler: async ({ body }) => {
      stage.say(`${at()}: worker began "${body}"`);
      await sleep(stage, 4500);
      done += 1;
    },
  });
  worker.on("done", () => stage.say(`${at()}: worker is done, the message is deleted`));
  await worker.start();
  const seenByOthers: number[] = [];
  for (let beat = 0; beat < 3; beat++) {
    await sleep(stage, 1500);
    const seen = await receive(stage, url);
    seenByOthers.push(seen.length);
    stage.say(`${at()}: another consumer sees ${seen.length} messages`);
  }
  await sleep(stage, 500);
  await worker.stop({ drain: "5s", force: true });

  await send(stage, url, "render another film");
  // What a kill -9 leaves behind is nobody who beats: from then on none of its requests gets through.
  let isKilled = false;
  const wire: SdkClient = {
    send: (command, options) => (isKilled ? Promise.reject(new Error("killed")) : sqs.send(command, options)),
  };
  const doomed = consume({ ...options, client: wire, handler: () => new Promise(() => {}) });
  doomed.on("error", () => undefined);
  await doomed.start();
  await sleep(stage, 2600);
  isKilled = true;
  const killedAtMs = clock.nowMs();
  stage.say(`${at()}: the worker is killed in the middle of its work`);
  const [back] = await receive(stage, url, 5);
  const backAfterMs = clock.nowMs() - killedAtMs;
  stage.say(`${at()}: "${back?.Body}" is back ${(backAfterMs / 1000).toFixed(1)} s after the kill`);
  await doomed.stop({ force: true });
  return { seenByOthers, done, back: back?.Body, backAfterMs };
}
