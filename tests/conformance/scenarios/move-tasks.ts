import assert from "node:assert/strict";
import type { ScenarioQueue } from "../scenario-queue.ts";
import type { World } from "../world.ts";
import { ACCOUNT, assertRefused, REGION, scenarios } from "../world.ts";

const NO_SOURCE = "The resource that you specified for the SourceArn parameter doesn't exist.";
const NO_DESTINATION = "The resource that you specified for the DestinationArn parameter doesn't exist.";

/** A dead-letter queue with messages that its source sent there. */
async function givenDeadLetters(world: World, bodies: string[]) {
  const { source, dlq } = await world.withDeadLetters(1);
  await fill(world, source, bodies);
  return { source, dlq };
}

async function fill(world: World, source: ScenarioQueue, bodies: string[]): Promise<void> {
  for (const body of bodies) await source.send(body);
  assert.equal((await source.receive()).length, bodies.length);
  await world.advance(1);
  assert.deepEqual(await source.receive(), []);
}

async function latestTask(world: World, { arn }: ScenarioQueue) {
  const { Results = [] } = await world.sqs.listMessageMoveTasks({ SourceArn: arn });
  return Results[0] ?? assert.fail("there is a task");
}

scenarios("move tasks", (scenario) => {
  scenario("messages go back to where they came from, as new ones, oldest first", async (world) => {
    const { source, dlq } = await givenDeadLetters(world, ["a", "b", "c"]);
    const [before] = await dlq.receive({ VisibilityTimeout: 0 });
    await world.advance(5);
    const { TaskHandle } = await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    assert.ok(TaskHandle);
    await world.advance(1);
    assert.equal(await dlq.counts(), "0/0/0");
    const messages = await source.receive({ MessageSystemAttributeNames: ["All"] });
    assert.deepEqual(
      messages.map(({ Body }) => Body),
      ["a", "b", "c"],
    );
    const [first] = messages;
    assert.notEqual(first?.MessageId, before?.MessageId);
    assert.equal(first?.Attributes?.ApproximateReceiveCount, "1");
    assert.equal(first?.Attributes?.DeadLetterQueueSourceArn, undefined);
    assert.ok(Number(first?.Attributes?.SentTimestamp) >= world.nowMs() - 1000);
    const { TaskHandle: none, ...task } = await latestTask(world, dlq);
    assert.equal(none, undefined);
    assert.deepEqual(
      { ...task },
      {
        Status: "COMPLETED",
        SourceArn: dlq.arn,
        ApproximateNumberOfMessagesMoved: 3,
        ApproximateNumberOfMessagesToMove: 3,
        StartedTimestamp: world.nowMs() - 1000,
      },
    );
  });

  scenario("a handle is base64 of a small JSON object", async (world) => {
    const { dlq } = await givenDeadLetters(world, ["a"]);
    const { TaskHandle = "" } = await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    const { taskId, sourceArn } = JSON.parse(Buffer.from(TaskHandle, "base64").toString());
    assert.match(taskId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(sourceArn, dlq.arn);
  });

  scenario("messages of several sources each find their own way back", async (world) => {
    const { source, dlq } = await givenDeadLetters(world, ["one"]);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dlq.arn, maxReceiveCount: 1 });
    const second = await world.queue({ VisibilityTimeout: "1", RedrivePolicy });
    await fill(world, second, ["two"]);
    await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    await world.advance(1);
    assert.deepEqual(await source.receiveBodies(), ["one"]);
    assert.deepEqual(await second.receiveBodies(), ["two"]);
  });

  scenario("a destination takes all messages, at the rate asked for", async (world) => {
    const { dlq } = await givenDeadLetters(world, ["a", "b", "c", "d"]);
    const destination = await world.queue();
    const start = { SourceArn: dlq.arn, DestinationArn: destination.arn, MaxNumberOfMessagesPerSecond: 1 };
    await world.sqs.startMessageMoveTask(start);
    await world.advance(1.5);
    const running = await latestTask(world, dlq);
    assert.equal(running.Status, "RUNNING");
    assert.ok(running.TaskHandle);
    assert.equal(running.MaxNumberOfMessagesPerSecond, 1);
    assert.equal(running.DestinationArn, destination.arn);
    assert.equal(running.ApproximateNumberOfMessagesToMove, 4);
    assert.equal(running.ApproximateNumberOfMessagesMoved, 2);
    assert.equal(await destination.counts(), "2/0/0");
    await world.advance(5);
    assert.equal((await latestTask(world, dlq)).Status, "COMPLETED");
    assert.equal(await destination.counts(), "4/0/0");
  });

  scenario("a start is checked before anything moves", async (world) => {
    const { sqs } = world;
    const { source, dlq } = await givenDeadLetters(world, ["a"]);
    const other = await world.queue();
    const fifo = await world.fifo();
    const start = (input: object) => sqs.startMessageMoveTask({ SourceArn: dlq.arn, ...input });
    await assertRefused(start({ SourceArn: `${dlq.arn}x` }), "ResourceNotFoundException", NO_SOURCE, 404);
    await assertRefused(start({ DestinationArn: `${dlq.arn}x` }), "ResourceNotFoundException", NO_DESTINATION, 404);
    for (const SourceArn of [other.arn, source.arn]) {
      const text = "Source queue must be configured as a Dead Letter Queue.";
      await assertRefused(start({ SourceArn }), "InvalidParameterValue", text);
    }
    const format =
      "You must use this format to specify the SourceArn: arn:<partition>:<service>:<region>:<account-id>:<resource-id>";
    for (const SourceArn of ["dlq", "arn:aws:sqs", dlq.url]) {
      await assertRefused(start({ SourceArn }), "InvalidParameterValue", format);
    }
    await assertRefused(
      start({ DestinationArn: dlq.arn }),
      "InvalidParameterValue",
      "Source queue arn and destination queue arn cannot be the same.",
    );
    await assertRefused(
      start({ DestinationArn: fifo.arn }),
      "InvalidParameterValue",
      "The source queue and destination queue must be of the same queue type.",
    );
    for (const MaxNumberOfMessagesPerSecond of [0, 501, -1]) {
      const text =
        "Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and 500.";
      await assertRefused(start({ MaxNumberOfMessagesPerSecond }), "InvalidParameterValue", text);
    }
    await assertRefused(start({ SourceArn: undefined }), "MissingParameter");
    assert.equal(await dlq.counts(), "1/0/0");
    assert.deepEqual((await sqs.listMessageMoveTasks({ SourceArn: dlq.arn })).Results ?? [], []);
  });

  scenario("one task runs on a source at a time", async (world) => {
    const { dlq } = await givenDeadLetters(world, ["a", "b", "c"]);
    const start = { SourceArn: dlq.arn, MaxNumberOfMessagesPerSecond: 1 };
    await world.sqs.startMessageMoveTask(start);
    const text =
      "There is already a task running. Only one active task is allowed for a source queue arn at a given time.";
    await assertRefused(world.sqs.startMessageMoveTask(start), "InvalidParameterValue", text);
    await world.advance(10);
    await world.sqs.startMessageMoveTask(start);
  });

  scenario("a cancelled task leaves the rest where it is", async (world) => {
    const { source, dlq } = await givenDeadLetters(world, ["a", "b", "c"]);
    const start = { SourceArn: dlq.arn, MaxNumberOfMessagesPerSecond: 1 };
    const { TaskHandle } = await world.sqs.startMessageMoveTask(start);
    await world.advance(0.5);
    const cancelled = await world.sqs.cancelMessageMoveTask({ TaskHandle });
    assert.deepEqual(cancelled, { ApproximateNumberOfMessagesMoved: 1 });
    await world.advance(10);
    const task = await latestTask(world, dlq);
    assert.equal(task.Status, "CANCELLED");
    assert.equal(task.TaskHandle, undefined);
    assert.equal(task.ApproximateNumberOfMessagesMoved, 1);
    assert.equal(await dlq.counts(), "2/0/0");
    assert.equal(await source.counts(), "1/0/0");
    const again = world.sqs.cancelMessageMoveTask({ TaskHandle });
    await assertRefused(again, "InvalidParameterValue", /^Only active tasks can be cancelled\.$/);
  });

  scenario("a cancel is checked", async (world) => {
    const { dlq } = await givenDeadLetters(world, ["a"]);
    const cancel = (handle: string) => world.sqs.cancelMessageMoveTask({ TaskHandle: handle });
    const handle = (sourceArn: string) =>
      Buffer.from(JSON.stringify({ taskId: "11111111-2222-3333-4444-555555555555", sourceArn })).toString("base64");
    for (const bad of ["garbage", "e30=", "####"]) {
      await assertRefused(cancel(bad), "InvalidParameterValue", "Value for parameter TaskHandle is invalid.");
    }
    const missing = handle(`arn:aws:sqs:${REGION}:${ACCOUNT}:not-there`);
    await assertRefused(cancel(missing), "ResourceNotFoundException", NO_SOURCE, 404);
    await assertRefused(cancel(handle(dlq.arn)), "ResourceNotFoundException", "Task does not exist.", 404);
  });

  scenario("tasks are listed newest first, one unless more are asked for", async (world) => {
    const { source, dlq } = await givenDeadLetters(world, ["a"]);
    for (let n = 0; n < 3; n++) {
      await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
      await world.advance(1);
    }
    const list = async (MaxResults?: number) => {
      const input = { SourceArn: dlq.arn, ...(MaxResults === undefined ? {} : { MaxResults }) };
      return (await world.sqs.listMessageMoveTasks(input)).Results ?? [];
    };
    assert.equal((await list()).length, 1);
    const started = (await list(10)).map(({ StartedTimestamp = 0 }) => StartedTimestamp);
    assert.equal(started.length, 3);
    assert.deepEqual(
      started.toSorted((a, b) => b - a),
      started,
    );
    for (const MaxResults of [0, 11]) {
      const text =
        "Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10.";
      await assertRefused(list(MaxResults), "InvalidParameterValue", text);
    }
    const missing = world.sqs.listMessageMoveTasks({ SourceArn: `${source.arn}x` });
    await assertRefused(missing, "ResourceNotFoundException", NO_SOURCE, 404);
  });

  scenario("a task fails when its destination is deleted, and what was moved stays moved", async (world) => {
    const { dlq } = await givenDeadLetters(world, ["a", "b", "c"]);
    const destination = await world.queue();
    const start = { SourceArn: dlq.arn, DestinationArn: destination.arn, MaxNumberOfMessagesPerSecond: 1 };
    await world.sqs.startMessageMoveTask(start);
    await world.advance(0.5);
    await world.sqs.deleteQueue({ QueueUrl: destination.url });
    await world.advance(5);
    const task = await latestTask(world, dlq);
    assert.equal(task.Status, "FAILED");
    assert.equal(task.FailureReason, "AWS.SimpleQueueService.NonExistentQueue");
    assert.equal(task.TaskHandle, undefined);
    assert.equal(task.ApproximateNumberOfMessagesMoved, 1);
    assert.equal(await dlq.counts(), "2/0/0");
  });

  scenario("a message that was sent straight to the dead-letter queue has no way back", async (world) => {
    const { dlq } = await world.withDeadLetters(1);
    await dlq.send("m");
    await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    await world.advance(1);
    const task = await latestTask(world, dlq);
    assert.equal(task.Status, "FAILED");
    assert.equal(task.FailureReason, "CouldNotDetermineMessageSource");
    assert.equal(await dlq.counts(), "1/0/0");
  });

  scenario("FIFO messages go back with their group, in order", async (world) => {
    const { source, dlq } = await world.withDeadLetters(1, { FifoQueue: "true" });
    for (const body of ["1", "2", "3"]) await source.sendTo("g", body);
    await source.receive();
    await world.advance(1);
    assert.deepEqual(await source.receive(), []);
    assert.equal(await dlq.counts(), "3/0/0");
    await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    await world.advance(1);
    const messages = await source.receive({ MessageSystemAttributeNames: ["All"] });
    assert.deepEqual(
      messages.map(({ Body, Attributes }) => [Body, Attributes?.MessageGroupId]),
      [
        ["1", "g"],
        ["2", "g"],
        ["3", "g"],
      ],
    );
  });

  scenario("a redriven message's retention begins anew", async (world) => {
    const { source, dlq } = await givenDeadLetters(world, ["m"]);
    await source.set({ MessageRetentionPeriod: "60" });
    await world.advance(100);
    await world.sqs.startMessageMoveTask({ SourceArn: dlq.arn });
    await world.advance(59);
    assert.equal(await source.counts(), "1/0/0");
    await world.advance(1);
    assert.equal(await source.counts(), "0/0/0");
  });
});
