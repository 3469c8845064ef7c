// Asynchronous invocations: retries, the age of events, destinations, the dead-letter queue, topics (fanout.md A7, C9).

import assert from "node:assert/strict";
import { createFunction, lambdaOf } from "../lambda-client.ts";
import type { ScenarioQueue } from "../scenario-queue.ts";
import { snsOf } from "../sns-client.ts";
import { ACCOUNT, freshName, REGION, scenarios, type World } from "../world.ts";

const FAILS = "export const handler = async () => { throw new Error('a frog'); };";

function arnOf(name: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
}

async function send(world: World, FunctionName: string, event: unknown): Promise<void> {
  const Payload = Buffer.from(JSON.stringify(event));
  const answered = await lambdaOf(world).invoke({ FunctionName, InvocationType: "Event", Payload });
  assert.equal(answered.StatusCode, 202);
  assert.equal(answered.Payload?.length ?? 0, 0);
  // The clock stands still: this waits until the function has run.
  await world.advance(0);
}

// biome-ignore lint/suspicious/noExplicitAny: records of any shape
async function records(queue: ScenarioQueue): Promise<any[]> {
  return (await queue.receive()).map(({ Body = "" }) => JSON.parse(Body));
}

scenarios("Lambda events", (scenario) => {
  scenario("an event is run once, and its success is told", async (world) => {
    const told = await world.queue();
    const FunctionName = await createFunction(world, "export const handler = async ({ n }) => ({ n: n + 1 });");
    await lambdaOf(world).putFunctionEventInvokeConfig({
      FunctionName,
      DestinationConfig: { OnSuccess: { Destination: told.arn } },
    });
    await send(world, FunctionName, { n: 1 });
    const [record, ...others] = await records(told);
    assert.equal(others.length, 0);
    const { requestId } = record.requestContext;
    assert.deepEqual(record, {
      version: "1.0",
      timestamp: new Date(world.nowMs()).toISOString(),
      requestContext: {
        requestId,
        functionArn: `${arnOf(FunctionName)}:$LATEST`,
        condition: "Success",
        approximateInvokeCount: 1,
      },
      requestPayload: { n: 1 },
      responseContext: { statusCode: 200, executedVersion: "$LATEST" },
      responsePayload: { n: 2 },
    });
  });

  scenario("a failure is tried again after one minute and after two, then told, with the event kept", async (world) => {
    const told = await world.queue();
    const dead = await world.queue();
    const FunctionName = await createFunction(world, FAILS, { DeadLetterConfig: { TargetArn: dead.arn } });
    await lambdaOf(world).putFunctionEventInvokeConfig({
      FunctionName,
      DestinationConfig: { OnFailure: { Destination: told.arn } },
    });
    await send(world, FunctionName, { n: 1 });
    await world.advance(59);
    await world.advance(1);
    await world.advance(119);
    assert.deepEqual(await records(told), []);
    await world.advance(1);
    const [record] = await records(told);
    assert.equal(record.requestContext.condition, "RetriesExhausted");
    assert.equal(record.requestContext.approximateInvokeCount, 3);
    assert.deepEqual(record.responseContext, {
      statusCode: 200,
      executedVersion: "$LATEST",
      functionError: "Unhandled",
    });
    assert.equal(record.responsePayload.errorMessage, "a frog");
    const [message] = await dead.receive({ MessageAttributeNames: ["All"] });
    assert.equal(message?.Body, '{"n":1}');
    const attributes = message?.MessageAttributes ?? {};
    assert.equal(attributes.RequestID?.StringValue, record.requestContext.requestId);
    assert.deepEqual([attributes.ErrorCode?.DataType, attributes.ErrorCode?.StringValue], ["Number", "200"]);
    assert.equal(attributes.ErrorMessage?.StringValue, "a frog");
  });

  scenario("an event that would be too old is not tried again", async (world) => {
    const told = await world.queue();
    const FunctionName = await createFunction(world, FAILS);
    await lambdaOf(world).putFunctionEventInvokeConfig({
      FunctionName,
      MaximumEventAgeInSeconds: 90,
      DestinationConfig: { OnFailure: { Destination: told.arn } },
    });
    await send(world, FunctionName, {});
    await world.advance(60);
    const [record] = await records(told);
    assert.equal(record.requestContext.condition, "EventAgeExceeded");
    assert.equal(record.requestContext.approximateInvokeCount, 2);
  });

  scenario("without any concurrency an event is given up at once, and never ran", async (world) => {
    const told = await world.queue();
    const FunctionName = await createFunction(world);
    await lambdaOf(world).putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 });
    await lambdaOf(world).putFunctionEventInvokeConfig({
      FunctionName,
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: told.arn } },
    });
    await send(world, FunctionName, { n: 1 });
    const [record] = await records(told);
    assert.equal(record.requestContext.condition, "ZeroReservedConcurrency");
    assert.equal(record.requestContext.approximateInvokeCount, 0);
    assert.equal(record.responseContext, undefined);
  });

  scenario("a function may be told of another's end", async (world) => {
    const seen = await world.queue();
    const source = `export const handler = async (record) => {
      const body = JSON.stringify({ QueueUrl: "${seen.url}", MessageBody: JSON.stringify(record.responsePayload) });
      const headers = { "x-amz-target": "AmazonSQS.SendMessage", "content-type": "application/x-amz-json-1.0" };
      await fetch(process.env.AWS_ENDPOINT_URL, { method: "POST", headers, body });
    };`;
    const listener = await createFunction(world, source);
    const FunctionName = await createFunction(world, "export const handler = async () => 'done';");
    await lambdaOf(world).putFunctionEventInvokeConfig({
      FunctionName,
      DestinationConfig: { OnSuccess: { Destination: arnOf(listener) } },
    });
    await send(world, FunctionName, {});
    assert.deepEqual(await records(seen), ["done"]);
  });

  scenario("a topic's message reaches a subscribed function as SNS's event", async (world) => {
    const told = await world.queue();
    const FunctionName = await createFunction(world, "export const handler = async (event) => event;");
    await lambdaOf(world).putFunctionEventInvokeConfig({
      FunctionName,
      DestinationConfig: { OnSuccess: { Destination: told.arn } },
    });
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-topic") });
    await lambdaOf(world).addPermission({
      FunctionName,
      StatementId: "sns",
      Action: "lambda:InvokeFunction",
      Principal: "sns.amazonaws.com",
      SourceArn: TopicArn as string,
    });
    const { SubscriptionArn } = await sns.subscribe({ TopicArn, Protocol: "lambda", Endpoint: arnOf(FunctionName) });
    await sns.publish({
      TopicArn,
      Message: "hello",
      MessageAttributes: { kind: { DataType: "String", StringValue: "frog" } },
    });
    await world.advance(0);
    const [{ requestPayload, responsePayload }] = await records(told);
    assert.deepEqual(responsePayload, requestPayload);
    const [record] = responsePayload.Records;
    assert.equal(record.EventSource, "aws:sns");
    assert.equal(record.EventSubscriptionArn, SubscriptionArn);
    assert.equal(record.Sns.Message, "hello");
    assert.equal(record.Sns.Subject, null);
    assert.deepEqual(record.Sns.MessageAttributes, { kind: { Type: "String", Value: "frog" } });
    assert.match(record.Sns.SigningCertUrl, /\.pem$/);
  });

  scenario("a message for a function that is gone goes to the subscription's dead-letter queue", async (world) => {
    const dead = await world.queue();
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-topic") });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn });
    await sns.subscribe({ TopicArn, Protocol: "lambda", Endpoint: arnOf("absent"), Attributes: { RedrivePolicy } });
    await sns.publish({ TopicArn, Message: "hello" });
    await world.advance(0);
    assert.equal((await records(dead))[0].Message, "hello");
  });
});
