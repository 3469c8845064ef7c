// What stories with SNS topics need beside a stage: topics made anew, and queues that subscribe to them.

import {
  CreateTopicCommand,
  DeleteTopicCommand,
  PublishCommand,
  type PublishCommandInput,
  type SNSClient,
  SubscribeCommand,
} from "@aws-sdk/client-sns";
import { SetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { arnOf, type Stage } from "./stage.ts";

export interface TopicStage extends Stage {
  sns: SNSClient;
  /** Of the server, for what only its admin API tells. */
  endpoint: string;
}

/** A topic without subscriptions: whatever an earlier run left goes. Answers its ARN. */
export async function freshTopic({ sns }: TopicStage, name: string): Promise<string> {
  const { TopicArn: old } = await sns.send(new CreateTopicCommand({ Name: name }));
  await sns.send(new DeleteTopicCommand({ TopicArn: old }));
  return (await sns.send(new CreateTopicCommand({ Name: name }))).TopicArn as string;
}

/** The policy without which AWS, or a server with --queue-policies enforce, delivers nothing to the queue. */
export async function letTopicIn(stage: TopicStage, topic: string, queueUrl: string): Promise<void> {
  const statement = {
    Effect: "Allow",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: await arnOf(stage, queueUrl),
    Condition: { ArnEquals: { "aws:SourceArn": topic } },
  };
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await stage.sqs.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { Policy } }));
}

/** `attributes` are SNS's. Answers the subscription's ARN. */
export async function subscribeQueue(
  stage: TopicStage,
  topic: string,
  queueUrl: string,
  attributes: Record<string, string> = {},
): Promise<string> {
  const answer = await stage.sns.send(
    new SubscribeCommand({
      TopicArn: topic,
      Protocol: "sqs",
      Endpoint: await arnOf(stage, queueUrl),
      Attributes: attributes,
      ReturnSubscriptionArn: true,
    }),
  );
  return answer.SubscriptionArn as string;
}

export async function publish(
  { sns }: TopicStage,
  topic: string,
  message: unknown,
  more: Partial<PublishCommandInput> = {},
): Promise<string> {
  const Message = typeof message === "string" ? message : JSON.stringify(message);
  return (await sns.send(new PublishCommand({ TopicArn: topic, Message, ...more }))).MessageId as string;
}
