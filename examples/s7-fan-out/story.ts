// An order is published once. Fraud, shipping and mail each get a copy of their own, analytics joins later, and a shipping
// service that is down keeps nobody else waiting.

import { type Consumer, consume } from "millpond/consumer";
import { deadLetterUrl, depth, freshQueue, sleep, stopwatch } from "../stage.ts";
import { freshTopic, letTopicIn, publish, subscribeQueue, type TopicStage } from "../topics.ts";

const FIRST_ORDERS = [20, 450, 80, 1200, 35];
const LATER_ORDERS = [60, 990];
const CONSUMERS = ["fraud", "shipping", "mail", "analytics"] as const;
type Name = (typeof CONSUMERS)[number];

export async function story(stage: TopicStage) {
  const at = stopwatch(stage);
  const topic = await freshTopic(stage, "orders-placed");
  const queues = {} as Record<Name, string>;
  for (const name of CONSUMERS) {
    queues[name] = await freshQueue(stage, name, { VisibilityTimeout: 2, maxReceiveCount: 2 });
    await letTopicIn(stage, topic, queues[name]);
  }

  await subscribeQueue(stage, topic, queues.fraud, { FilterPolicy: '{"amount": [{"numeric": [">=", 400]}]}' });
  await subscribeQueue(stage, topic, queues.shipping);
  await subscribeQueue(stage, topic, queues.mail);
  let orders = 0;
  const place = async (amount: number) => {
    orders += 1;
    const attributes = { amount: { DataType: "Number", StringValue: String(amount) } };
    await publish(stage, topic, { event: "OrderPlaced", order: orders, amount }, { MessageAttributes: attributes });
  };

  const got: Record<Name, number[]> = { fraud: [], shipping: [], mail: [], analytics: [] };
  let shippingIsDown = true;
  const consumers: Consumer[] = [];
  const work = async (name: Name) => {
    const consumer = consume({
      queue: queues[name],
      client: stage.sqs,
      clock: stage.clock,
      decode: "sns",
      abortPolls: true,
      handler: async ({ body }) => {
        if (name === "shipping" && shippingIsDown) throw new Error("the carrier does not answer");
        got[name].push((body as { order: number }).order);
      },
    });
    consumers.push(consumer);
    await consumer.start();
  };

  for (const amount of FIRST_ORDERS) await place(amount);
  for (const name of ["fraud", "shipping", "mail"] as const) await work(name);
  await sleep(stage, 8000);
  const dead = (await depth(stage, deadLetterUrl(queues.shipping))).visible;
  const first = { fraud: [...got.fraud], mail: [...got.mail], shipping: [...got.shipping], dead };
  stage.say(`${at()}: ${orders} orders published once each`);
  stage.say(`${at()}: mail worked off ${first.mail.length}, fraud looked at ${first.fraud.length} of 400 and more`);
  stage.say(`${at()}: shipping is down: ${dead} of its copies are in its own dead-letter queue, nobody else noticed`);

  await subscribeQueue(stage, topic, queues.analytics);
  await work("analytics");
  shippingIsDown = false;
  for (const amount of LATER_ORDERS) await place(amount);
  await sleep(stage, 4000);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  stage.say(`${at()}: analytics joined and counts orders ${got.analytics.join(" and ")}; the publisher did not change`);
  stage.say(`${at()}: shipping is back and has sent orders ${got.shipping.join(" and ")}`);
  for (const orders of Object.values(got)) orders.sort((a, b) => a - b);
  return { first, got };
}
