// A slow function that may run twice at once. Held back by the mapping's maximum concurrency, messages wait in the queue
// and each is received once. Turned away by the function's reserved concurrency, they have been received, and each
// visibility timeout that passes costs one of the three receives that a message has.

import { PutFunctionConcurrencyCommand } from "@aws-sdk/client-lambda";
import { type FunctionStage, freshFunction, map, switchMapping, until } from "../functions.ts";
import { arnOf, deadLetterUrl, depth, freshQueue, receive, send, stopwatch } from "../stage.ts";

const MESSAGES = 24;
const AT_ONCE = 2;

interface Report {
  body: string;
  receives: number;
}

export async function story(stage: FunctionStage) {
  return { maximum: await tell(stage, "maximum"), reserved: await tell(stage, "reserved") };
}

async function tell(stage: FunctionStage, way: "maximum" | "reserved") {
  const url = await freshQueue(stage, `slow-${way}`, { VisibilityTimeout: 2, maxReceiveCount: 3 });
  const finishedUrl = await freshQueue(stage, `finished-${way}`);
  const FunctionName = `slow-${way}`;
  const environment = { FINISHED_URL: finishedUrl };
  await freshFunction(stage, FunctionName, { file: "s10-throttled-consumer/slow.mjs", timeout: 2, environment });
  if (way === "reserved") {
    const limit = { FunctionName, ReservedConcurrentExecutions: AT_ONCE };
    await stage.lambda.send(new PutFunctionConcurrencyCommand(limit));
  }
  for (let index = 0; index < MESSAGES; index++) await send(stage, url, `order-${index}`);
  const at = stopwatch(stage);
  const mapping = await map(stage, {
    FunctionName,
    EventSourceArn: await arnOf(stage, url),
    BatchSize: 1,
    ...(way === "maximum" ? { ScalingConfig: { MaximumConcurrency: AT_ONCE } } : {}),
  });
  const reports: Report[] = [];
  await until(stage, "the queue is empty", async () => {
    for (const { Body } of await receive(stage, finishedUrl)) reports.push(JSON.parse(Body as string) as Report);
    const { visible, inFlight } = await depth(stage, url);
    return visible + inFlight === 0;
  });
  await switchMapping(stage, mapping, false);
  for (const { Body } of await receive(stage, finishedUrl)) reports.push(JSON.parse(Body as string) as Report);
  const finished = new Set(reports.map(({ body }) => body)).size;
  const again = reports.filter(({ receives }) => receives > 1).length;
  const dead = (await depth(stage, deadLetterUrl(url))).visible;
  const limit = way === "maximum" ? "maximum concurrency of the mapping" : "reserved concurrency of the function";
  stage.say(
    `${at()}: ${AT_ONCE} at once by ${limit}: ${finished} of ${MESSAGES} done, ${again} of them not at the first receive, ` +
      `${dead} in the dead-letter queue`,
  );
  return { finished, again, dead };
}
