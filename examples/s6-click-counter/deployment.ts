// Everything between a click and its count: topic, ClickQueue with its dead-letter queue, function and mapping, tables.

import { fileURLToPath } from "node:url";
import { type DynamoDB, ResourceInUseException } from "@aws-sdk/client-dynamodb";
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
} from "@aws-sdk/client-lambda";
import { CreateTopicCommand, DeleteTopicCommand, SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { dynamoDbTable, dynamoDbTimeToLive } from "millpond/consumer";
import { freshQueue, type Stage } from "../stage.ts";
import { packageFunction } from "./function-package.ts";
import { type LinkEvent, publisherTo } from "./link-service.ts";

export interface Deployment {
  publish(event: LinkEvent): Promise<void>;
  queueUrl: string;
  /** `period` is `total` or a day, as 2026-12-31. */
  clicks(code: string, period: string): Promise<number>;
  remove(): Promise<void>;
}

export interface DeployOptions {
  database: DynamoDB;
  databaseEndpoint: string;
  visibilitySeconds: number;
}

const FUNCTION = "count-clicks";
const MARKERS = "click-markers";
const CLICKS = "clicks";
const FUNCTION_SECONDS_MAX = 10;

export async function deploy(stage: Stage, options: DeployOptions): Promise<Deployment> {
  const { database, visibilitySeconds } = options;
  const same = await sameServerAs(stage);
  const sns = new SNSClient(same);
  const lambda = new LambdaClient(same);
  await clear(lambda);
  for (const name of [MARKERS, CLICKS]) await haveEmptyTable(database, name);
  await database.updateTimeToLive(dynamoDbTimeToLive(MARKERS));
  const { TopicArn = "" } = await sns.send(new CreateTopicCommand({ Name: "links" }));
  const queueUrl = await freshQueue(stage, "ClickQueue", { VisibilityTimeout: visibilitySeconds, maxReceiveCount: 3 });
  const queueArn = await letIn(stage, queueUrl, TopicArn);
  await sns.send(
    new SubscribeCommand({
      TopicArn,
      Protocol: "sqs",
      Endpoint: queueArn,
      Attributes: {
        RawMessageDelivery: "true",
        FilterPolicyScope: "MessageBody",
        FilterPolicy: JSON.stringify({ "detail-type": ["link.clicked"] }),
      },
    }),
  );
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: FUNCTION,
      Runtime: "nodejs20.x",
      Handler: "index.handler",
      Role: "arn:aws:iam::000000000000:role/count-clicks",
      Code: { ZipFile: await packageFunction(fileURLToPath(new URL("./count-clicks.js", import.meta.url))) },
      // A mapping takes no function that could outlast the visibility timeout.
      Timeout: Math.min(FUNCTION_SECONDS_MAX, visibilitySeconds),
      Environment: {
        Variables: {
          MARKERS_TABLE: MARKERS,
          CLICKS_TABLE: CLICKS,
          AWS_ENDPOINT_URL_DYNAMODB: options.databaseEndpoint,
        },
      },
    }),
  );
  await lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: FUNCTION,
      EventSourceArn: queueArn,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      // All clicks on a link want the same item: more at once would only stand in each other's way.
      ScalingConfig: { MaximumConcurrency: 2 },
    }),
  );
  return {
    publish: publisherTo(sns, TopicArn),
    queueUrl,
    async clicks(code, period) {
      const Key = { pk: { S: `${code}#${period}` } };
      const { Item } = await database.getItem({ TableName: CLICKS, Key, ConsistentRead: true });
      return Number(Item?.["clicks"]?.N ?? 0);
    },
    async remove() {
      await clear(lambda);
      await sns.send(new DeleteTopicCommand({ TopicArn }));
      lambda.destroy();
      sns.destroy();
    },
  };
}

/** The story is told with an SQS client; topics and functions are behind the same endpoint. */
async function sameServerAs({ sqs }: Stage) {
  const { protocol, hostname, port } = (await sqs.config.endpoint?.()) ?? new URL("http://127.0.0.1:4566");
  const endpoint = `${protocol}//${hostname}:${port}`;
  return { endpoint, region: await sqs.config.region(), credentials: await sqs.config.credentials() };
}

/** What an earlier run, broken off, has left. */
async function clear(lambda: LambdaClient): Promise<void> {
  const ignoreMissing = (error: Error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
  };
  const mappings = new ListEventSourceMappingsCommand({ FunctionName: FUNCTION });
  const { EventSourceMappings = [] } = (await lambda.send(mappings).catch(ignoreMissing)) ?? {};
  for (const { UUID } of EventSourceMappings)
    await lambda.send(new DeleteEventSourceMappingCommand({ UUID })).catch(ignoreMissing);
  await lambda.send(new DeleteFunctionCommand({ FunctionName: FUNCTION })).catch(ignoreMissing);
}

/** Lets the topic send to the queue. Answers the queue's ARN. */
async function letIn({ sqs }: Stage, QueueUrl: string, topicArn: string): Promise<string> {
  const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
  const queueArn = (await sqs.send(ask)).Attributes?.["QueueArn"] as string;
  const Policy = JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { Service: "sns.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: queueArn,
        Condition: { ArnEquals: { "aws:SourceArn": topicArn } },
      },
    ],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  return queueArn;
}

async function haveEmptyTable(database: DynamoDB, name: string): Promise<void> {
  await database.createTable(dynamoDbTable(name)).catch((error) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  while ((await database.describeTable({ TableName: name })).Table?.TableStatus !== "ACTIVE");
  const { Items = [] } = await database.scan({ TableName: name, ConsistentRead: true });
  for (const { pk } of Items) if (pk !== undefined) await database.deleteItem({ TableName: name, Key: { pk } });
}
