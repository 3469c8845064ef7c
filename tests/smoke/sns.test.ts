// Topics from AWS's own tools: to a queue, and to an HTTP endpoint that confirms with the link it is sent.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HttpEndpoint, noticeOf } from "../support/http-endpoint.ts";
import { installed, isMissing, run, smokeFolder, startServer } from "./tools.ts";

async function openEndpoint(context: TestContext): Promise<HttpEndpoint> {
  const endpoint = await HttpEndpoint.start();
  context.after(() => endpoint.close());
  return endpoint;
}

for (const { name, aws } of [
  { name: "the current AWS CLI", aws: installed("awscli", "aws") },
  { name: "Debian's AWS CLI", aws: "/usr/bin/aws" },
]) {
  test(`${name}: publish to a queue and to an endpoint`, { timeout: 180_000 }, async (context) => {
    if (isMissing(context, aws)) return;
    const server = await startServer(context);
    const endpoint = await openEndpoint(context);
    const call = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(aws, ["--endpoint-url", server, "--output", "json", ...args]);
      assert.equal(code, 0, `aws ${args.join(" ")}: ${stderr}`);
      return stdout.trim() === "" ? {} : JSON.parse(stdout);
    };
    const sns = (...args: string[]) => call("sns", ...args);
    const { QueueUrl: url } = await call("sqs", "create-queue", "--queue-name", "billing");
    const { TopicArn: topic } = await sns("create-topic", "--name", "orders");
    const queueArn = topic.replace(":sns:", ":sqs:").replace(/orders$/, "billing");
    const subscribe = (protocol: string, to: string, ...more: string[]) =>
      sns("subscribe", "--topic-arn", topic, "--protocol", protocol, "--notification-endpoint", to, ...more);

    const filter = JSON.stringify({ RawMessageDelivery: "true", FilterPolicy: '{"kind":["paid"]}' });
    const { SubscriptionArn: toQueue } = await subscribe("sqs", queueArn, "--attributes", filter);
    assert.equal((await subscribe("http", endpoint.url)).SubscriptionArn, "pending confirmation");
    await endpoint.until(1);
    const [asked] = endpoint.of("SubscriptionConfirmation").map(noticeOf);
    const confirmed = await sns("confirm-subscription", "--topic-arn", topic, "--token", asked?.Token ?? "");
    assert.match(confirmed.SubscriptionArn, new RegExp(`^${topic}:`));

    const paid = JSON.stringify({ kind: { DataType: "String", StringValue: "paid" } });
    const publish = (message: string, ...more: string[]) =>
      sns("publish", "--topic-arn", topic, "--message", message, ...more);
    const { MessageId } = await publish("hello 🌊", "--subject", "Order", "--message-attributes", paid);
    await publish("not paid");
    await endpoint.until(3);
    const notices = endpoint.of("Notification").map(noticeOf);
    assert.deepEqual(notices.map(({ Message }) => Message).sort(), ["hello 🌊", "not paid"]);
    assert.equal(notices.find(({ Subject }) => Subject === "Order")?.MessageId, MessageId);
    const { Messages } = await call(
      "sqs",
      "receive-message",
      "--queue-url",
      url,
      "--max-number-of-messages",
      "10",
      "--message-attribute-names",
      "All",
    );
    assert.deepEqual(
      Messages.map(({ Body }: { Body: string }) => Body),
      ["hello 🌊"],
    );
    assert.equal(Messages[0].MessageAttributes.kind.StringValue, "paid");

    const entries = JSON.stringify(["a", "b"].map((Id) => ({ Id, Message: `batch ${Id}` })));
    const batch = await sns("publish-batch", "--topic-arn", topic, "--publish-batch-request-entries", entries);
    assert.deepEqual(
      batch.Successful.map(({ Id }: { Id: string }) => Id),
      ["a", "b"],
    );
    const listed = await sns("list-subscriptions-by-topic", "--topic-arn", topic);
    assert.equal(listed.Subscriptions.length, 2);
    await sns("unsubscribe", "--subscription-arn", toQueue);
    await sns("delete-topic", "--topic-arn", topic);
    const absent = await run(aws, ["--endpoint-url", server, "sns", "get-topic-attributes", "--topic-arn", topic]);
    assert.notEqual(absent.code, 0);
    assert.match(absent.stderr, /\(NotFound\).*Topic does not exist/);
  });
}

for (const { name, python } of [
  { name: "current boto3", python: installed("boto3", "python") },
  { name: "boto3 1.26", python: installed("boto3-query", "python") },
  { name: "Debian's boto3", python: "/usr/bin/python3" },
]) {
  test(`${name}: topics, queues of both kinds, and an endpoint of its own`, { timeout: 180_000 }, async (context) => {
    if (isMissing(context, python, ["boto3"])) return;
    const server = await startServer(context);
    const { code, stdout, stderr } = await run(python, [join(smokeFolder, "boto3-sns-smoke.py"), server]);
    assert.equal(code, 0, stderr);
    context.diagnostic(stdout.trim());
  });
}
