// A queue whose policy does not let the topic in. Publish succeeds, nothing arrives, and nobody who called was told: the
// delivery is in the subscription's dead-letter queue, and the server knows which statement is missing.

import { SetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { arnOf, freshQueue, receive, stopwatch } from "../stage.ts";
import { freshTopic, publish, subscribeQueue, type TopicStage } from "../topics.ts";

export async function story(stage: TopicStage) {
  const at = stopwatch(stage);
  const topic = await freshTopic(stage, "alerts");
  const queue = await freshQueue(stage, "on-call");
  const failed = await freshQueue(stage, "alerts-failed");
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: await arnOf(stage, failed) });
  await subscribeQueue(stage, topic, queue, { RawMessageDelivery: "true", RedrivePolicy });

  const id = await publish(stage, topic, "the dam leaks");
  stage.say(`${at()}: Publish answered with message id ${id}`);
  const arrived = await bodies(stage, queue);
  const dead = await bodies(stage, failed);
  stage.say(`${at()}: ${arrived.length} messages in the queue, ${dead.length} in the subscription's dead-letter queue`);

  const { problem, missingStatement, failures } = await subscriptionOf(stage, topic);
  stage.say(`${at()}: ${failures.at(-1)?.reason ?? problem ?? "nothing is wrong"}`);
  if (missingStatement === undefined) return { arrived, dead, missingStatement, afterwards: [] };
  stage.say(`The queue's policy lacks: ${JSON.stringify(missingStatement)}`);
  if (arrived.length > 0) {
    stage.say("This server only warns. Start it with --queue-policies enforce to see what AWS does.");
  }

  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [missingStatement] });
  await stage.sqs.send(new SetQueueAttributesCommand({ QueueUrl: queue, Attributes: { Policy } }));
  await publish(stage, topic, "the dam holds");
  const afterwards = await bodies(stage, queue);
  stage.say(`${at()}: with that statement in the policy "${afterwards.at(-1)}" arrives`);
  return { arrived, dead, missingStatement, afterwards };
}

async function bodies(stage: TopicStage, url: string): Promise<string[]> {
  return (await receive(stage, url)).map(({ Body }) => Body as string);
}

interface SubscriptionReport {
  problem?: string;
  missingStatement?: Record<string, unknown>;
  failures: { reason: string }[];
}

/** What `millpond topic show alerts` prints. */
async function subscriptionOf({ endpoint }: TopicStage, topic: string): Promise<SubscriptionReport> {
  const [, , , region, account, name] = topic.split(":");
  const answer = await fetch(new URL(`/_millpond/topics/${account}/${region}/${name}/subscriptions`, endpoint));
  if (!answer.ok) throw new Error(`The admin API answered ${answer.status}: ${await answer.text()}`);
  const { subscriptions } = (await answer.json()) as { subscriptions: [SubscriptionReport] };
  return subscriptions[0];
}
