// Five megabytes through a queue that takes one: the payload goes to an object store, the message carries a pointer in
// the format of AWS's extended client libraries, and the object goes when the message goes.

import { createHash } from "node:crypto";
import { consume, producer } from "millpond/consumer";
import { depth, freshQueue, type Stage, sleep } from "../stage.ts";
import { startObjectServer } from "./object-server.ts";

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "large");
  const { sqs, clock } = stage;
  const { store, objects, stop } = await startObjectServer();
  const largePayload = { store, bucket: "payloads", prefix: "large/" };
  const text = "0123456789abcdef".repeat((5 * 1024 * 1024) / 16);
  const { messageId } = await producer({ queue: url, client: sqs, clock, largePayload }).send({ body: text });
  stage.say(`sent ${text.length} bytes as message ${messageId}; the store has ${[...objects.keys()].join(", ")}`);
  const objectsWhileQueued = objects.size;

  let received: { bytes: number; isSame: boolean; pointer: string } | undefined;
  const consumer = consume<string>({
    queue: url,
    client: sqs,
    clock,
    decode: "text",
    abortPolls: true,
    largePayload,
    handler: ({ body, raw }) => {
      received = { bytes: body.length, isSame: hash(body) === hash(text), pointer: raw.Body ?? "" };
      stage.say(`the message says ${raw.Body}`);
      stage.say(`the handler got ${body.length} bytes, ${received.isSame ? "the very same" : "others"}`);
    },
  });
  await consumer.start();
  for (let tries = 0; objects.size > 0 && tries < 200; tries++) await sleep(stage, 50);
  await consumer.stop();
  const { visible, inFlight } = await depth(stage, url);
  stage.say(`afterwards: ${visible + inFlight} messages, ${objects.size} objects`);
  stop();
  return { objectsWhileQueued, received, objectsLeft: objects.size, left: visible + inFlight };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
