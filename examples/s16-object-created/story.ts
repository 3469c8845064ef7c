// A bucket tells a topic about its objects, and three queues listen: for one kind of event under one prefix each of them
// gets its own copy. Before topics stood in between, a bucket could tell only one consumer about an event and a prefix.

import { freshQueue, receive, stopwatch } from "../stage.ts";
import { freshTopic, letTopicIn, publish, subscribeQueue, type TopicStage } from "../topics.ts";

const CONSUMERS = ["thumbnails", "virus-scan", "search-index"];
/** Of the body: the same event and prefix for all three. */
const UPLOADS = JSON.stringify({
  Records: { eventName: [{ prefix: "ObjectCreated:" }], s3: { object: { key: [{ prefix: "uploads/" }] } } },
});

export async function story(stage: TopicStage) {
  const at = stopwatch(stage);
  const topic = await freshTopic(stage, "bucket-events");
  const queues: string[] = [];
  for (const name of CONSUMERS) {
    const queue = await freshQueue(stage, name, { VisibilityTimeout: 30 });
    await letTopicIn(stage, topic, queue);
    await subscribeQueue(stage, topic, queue, {
      RawMessageDelivery: "true",
      FilterPolicyScope: "MessageBody",
      FilterPolicy: UPLOADS,
    });
    queues.push(queue);
  }
  const tell = (eventName: string, key: string) =>
    publish(stage, topic, notification(stage, eventName, key), { Subject: "Amazon S3 Notification" });
  await tell("ObjectCreated:Put", "uploads/frog.png");
  await tell("ObjectCreated:CompleteMultipartUpload", "uploads/pond.mp4");
  await tell("ObjectCreated:Put", "exports/2026.csv");
  await tell("ObjectRemoved:Delete", "uploads/frog.png");
  stage.say(`${at()}: the bucket told of four events, two of them uploads`);

  const seen: Record<string, string[]> = {};
  for (const [index, name] of CONSUMERS.entries()) {
    const messages = await receive(stage, queues[index] as string);
    const keys = messages.map(({ Body }) => JSON.parse(Body as string).Records[0].s3.object.key as string);
    seen[name] = keys.sort();
    stage.say(`${at()}: ${name} got ${keys.join(", ")}`);
  }
  return seen;
}

/** The parts of S3's notification that consumers read; Millpond has no buckets, so the story tells it in their stead. */
function notification({ clock }: TopicStage, eventName: string, key: string) {
  return {
    Records: [
      {
        eventVersion: "2.1",
        eventSource: "aws:s3",
        awsRegion: "us-east-1",
        eventTime: new Date(clock.nowMs()).toISOString(),
        eventName,
        s3: {
          s3SchemaVersion: "1.0",
          bucket: { name: "media", arn: "arn:aws:s3:::media" },
          object: { key, size: 1024 },
        },
      },
    ],
  };
}
