// One order's events in order, other orders side by side; a repeat of a deduplication id adds nothing.

import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { consume } from "millpond/consumer";
import { freshQueue, receive, type Stage, sleep, stopwatch } from "../stage.ts";

export async function story(stage: Stage) {
  const url = await freshQueue(stage, "orders.fifo", { VisibilityTimeout: 5 });
  const { sqs, clock } = stage;
  const at = stopwatch(stage);
  const post = async (group: string, event: string) => {
    const { MessageId, SequenceNumber } = await sqs.send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: `${group} ${event}`,
        MessageGroupId: group,
        MessageDeduplicationId: `${group}-${event}`,
      }),
    );
    stage.say(`sent ${group} ${event}: ${MessageId}, sequence number ${SequenceNumber}`);
    return { MessageId, SequenceNumber };
  };
  await post("order-1", "created");
  const paid = await post("order-1", "paid");
  const paidAgain = await post("order-1", "paid");
  await post("order-1", "shipped");
  await post("order-2", "created");

  const first = (await receive(stage, url)).map(({ Body }) => Body as string);
  stage.say(`first receive: ${first.join(", ")}`);
  await post("order-1", "closed");
  await post("order-3", "created");
  const second = (await receive(stage, url)).map(({ Body }) => Body as string);
  stage.say(`second receive, while those are in flight: ${second.join(", ")}`);

  // Nobody deleted them: after the visibility timeout a consumer works them off, each order in its order.
  await sleep(stage, 5000);
  const worked: string[] = [];
  const consumer = consume<string>({
    queue: url,
    client: sqs,
    clock,
    decode: "text",
    abortPolls: true,
    handler: async ({ body }) => {
      await sleep(stage, 200);
      worked.push(body);
      stage.say(`${at()}: worked on ${body}`);
    },
  });
  await consumer.start();
  while (worked.length < 6) await sleep(stage, 100);
  await consumer.stop();
  return { paid, paidAgain, first, second, worked };
}
