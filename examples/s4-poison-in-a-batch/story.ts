// Three payments in a batch, the second cannot be charged. All or nothing charges the first again and again and never
// gets to the third; partial failures with a memory of what was charged send back only the second.

import { consume, type Delivery } from "millpond/consumer";
import { deadLetterUrl, freshQueue, receive, type Stage, send, sleep } from "../stage.ts";

interface Payment {
  name: string;
  amount: number;
}

const PAYMENTS: Payment[] = [
  { name: "first", amount: 10 },
  { name: "second", amount: -1 },
  { name: "third", amount: 30 },
];

export async function story(stage: Stage) {
  return { allOrNothing: await tell(stage, "all-or-nothing"), partial: await tell(stage, "partial") };
}

async function tell(stage: Stage, way: "all-or-nothing" | "partial") {
  const url = await freshQueue(stage, `batch-${way}`, { VisibilityTimeout: 5, maxReceiveCount: 3 });
  for (const payment of PAYMENTS) await send(stage, url, payment);
  const charges: string[] = [];
  const charged = new Set<string>();
  const charge = ({ body }: Delivery<Payment>) => {
    if (body.amount < 0) throw new Error(`${body.name}: a negative amount`);
    charges.push(body.name);
    stage.say(`  charged ${body.name}`);
  };
  const consumer = consume<Payment>({
    queue: url,
    client: stage.sqs,
    clock: stage.clock,
    concurrency: 1,
    batchWait: "500ms",
    abortPolls: true,
    retry: { delay: "1s", jitter: 0 },
    batchHandler: (messages, { fail }) => {
      // Deliveries come in any order; the story wants the poison in the middle.
      const inOrder = [...messages].sort((a, b) => nth(a) - nth(b));
      stage.say(`${way}: a batch of ${inOrder.map(({ body }) => body.name).join(", ")}`);
      for (const message of inOrder) {
        if (way === "all-or-nothing") charge(message);
        else {
          try {
            if (!charged.has(message.id)) charge(message);
            charged.add(message.id);
          } catch (error) {
            fail(message, error);
          }
        }
      }
    },
  });
  await consumer.start();
  await sleep(stage, 12_000);
  await consumer.stop();
  const dead = (await receive(stage, deadLetterUrl(url))).map(({ Body }) => JSON.parse(Body as string).name as string);
  stage.say(`${way}: ${charges.length} charges; in the dead-letter queue: ${dead.sort().join(", ")}`);
  return { charges, dead };
}

function nth({ body }: Delivery<Payment>): number {
  return PAYMENTS.findIndex(({ name }) => name === body.name);
}
