// The AWS CLI as a person types it: the current one, and Debian's, which still speaks Query.

import assert from "node:assert/strict";
import { test } from "node:test";
import { installed, isMissing, run, startServer } from "./tools.ts";

for (const { name, aws } of [
  { name: "the current AWS CLI", aws: installed("awscli", "aws") },
  { name: "Debian's AWS CLI", aws: "/usr/bin/aws" },
]) {
  test(`${name}: create, send, receive, delete, dead letters, FIFO`, async (context) => {
    if (isMissing(context, aws)) return;
    const endpoint = await startServer(context);
    const sqs = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(aws, ["--endpoint-url", endpoint, "--output", "json", "sqs", ...args]);
      assert.equal(code, 0, `aws sqs ${args.join(" ")}: ${stderr}`);
      return stdout.trim() === "" ? {} : JSON.parse(stdout);
    };
    const create = async (queue: string, ...attributes: string[]): Promise<string> =>
      (await sqs("create-queue", "--queue-name", queue, ...attributes)).QueueUrl;
    const arnOf = async (url: string): Promise<string> =>
      (await sqs("get-queue-attributes", "--queue-url", url, "--attribute-names", "QueueArn")).Attributes.QueueArn;
    const receive = (url: string, ...more: string[]) =>
      sqs(
        "receive-message",
        "--queue-url",
        url,
        "--attribute-names",
        "All",
        "--message-attribute-names",
        "All",
        ...more,
      );

    const dead = await create("cli-dead");
    const policy = JSON.stringify({ deadLetterTargetArn: await arnOf(dead), maxReceiveCount: "1" });
    const url = await create("cli", "--attributes", JSON.stringify({ RedrivePolicy: policy, VisibilityTimeout: "40" }));
    assert.deepEqual((await sqs("list-queues", "--queue-name-prefix", "cli")).QueueUrls, [url, dead]);

    const attributes = JSON.stringify({ colour: { DataType: "String", StringValue: "blue" } });
    const sent = await sqs(
      "send-message",
      "--queue-url",
      url,
      "--message-body",
      "hello 🌊",
      "--message-attributes",
      attributes,
    );
    const [message] = (await receive(url)).Messages;
    assert.equal(message.MessageId, sent.MessageId);
    assert.equal(message.Body, "hello 🌊");
    assert.equal(message.MessageAttributes.colour.StringValue, "blue");
    await sqs("delete-message", "--queue-url", url, "--receipt-handle", message.ReceiptHandle);
    assert.deepEqual(await receive(url), {});

    const entries = JSON.stringify(["a", "b"].map((id) => ({ Id: id, MessageBody: `batch ${id}` })));
    const batch = await sqs("send-message-batch", "--queue-url", url, "--entries", entries);
    assert.deepEqual(
      batch.Successful.map((entry: { Id: string }) => entry.Id),
      ["a", "b"],
    );
    assert.equal(
      (await receive(url, "--max-number-of-messages", "10", "--visibility-timeout", "0")).Messages.length,
      2,
    );
    assert.deepEqual(await receive(url, "--max-number-of-messages", "10"), {});
    const moved = (await receive(dead, "--max-number-of-messages", "10")).Messages;
    assert.deepEqual(moved.map((each: { Body: string }) => each.Body).sort(), ["batch a", "batch b"]);
    assert.equal(moved[0].Attributes.DeadLetterQueueSourceArn, await arnOf(url));
    await sqs("purge-queue", "--queue-url", dead);

    const fifo = await create("cli.fifo", "--attributes", "FifoQueue=true,ContentBasedDeduplication=true");
    const step = (body: string) =>
      sqs("send-message", "--queue-url", fifo, "--message-body", body, "--message-group-id", "g");
    const numbers: string[] = [];
    for (const body of ["one", "two", "one"]) numbers.push((await step(body)).SequenceNumber);
    assert.equal(numbers[2], numbers[0], "a duplicate is answered as the original was");
    for (const body of ["one", "two"]) {
      const [next] = (await receive(fifo)).Messages;
      assert.equal(next.Body, body);
      await sqs("delete-message", "--queue-url", fifo, "--receipt-handle", next.ReceiptHandle);
    }
    assert.deepEqual(await receive(fifo), {});

    const absent = await run(aws, ["--endpoint-url", endpoint, "sqs", "get-queue-url", "--queue-name", "absent"]);
    assert.notEqual(absent.code, 0);
    assert.match(absent.stderr, /AWS\.SimpleQueueService\.NonExistentQueue/);
    for (const each of [url, dead, fifo]) await sqs("delete-queue", "--queue-url", each);
    assert.deepEqual(await sqs("list-queues"), {});
  });
}
