import assert from "node:assert/strict";
import test from "node:test";
import type { MoveTaskSummary } from "../../engine/command.ts";
import { answerTo, commandOf, jsonOf, jsonRequest, refusedAs } from "../exchange.test.fixture.ts";

const SourceArn = "arn:aws:sqs:us-east-1:000000000000:dead";
const DestinationArn = "arn:aws:sqs:us-east-1:000000000000:orders";
const scope = { account: "000000000000", region: "us-east-1" };

test("a task's handle is base64 JSON that names task and source, and cancels them", () => {
  const started = answerTo(jsonRequest("StartMessageMoveTask", { SourceArn }), { taskId: "t-1", sourceArn: SourceArn });
  const { TaskHandle } = jsonOf(started) as { TaskHandle: string };
  const decoded = JSON.parse(Buffer.from(TaskHandle, "base64").toString());
  assert.deepEqual(decoded, { taskId: "t-1", sourceArn: SourceArn });
  const cancel = jsonRequest("CancelMessageMoveTask", { TaskHandle });
  const expected = { kind: "cancelMoveTask", scope, taskId: "t-1", sourceArn: SourceArn };
  assert.deepEqual(commandOf(cancel, "cancelMoveTask"), expected);
  assert.deepEqual(jsonOf(answerTo(cancel, { movedCount: 2 })), { ApproximateNumberOfMessagesMoved: 2 });
});

test("handles of nonsense are refused (C041)", () => {
  for (const handle of ["garbage", "bnVsbA==", Buffer.from('{"taskId":1}').toString("base64"), "W10=", "\u0000"]) {
    const { type, message } = refusedAs(jsonRequest("CancelMessageMoveTask", { TaskHandle: handle }));
    assert.deepEqual([type, message], ["InvalidParameterValueException", "Value for parameter TaskHandle is invalid."]);
  }
});

test("what can be told about ARNs and rates without state is told here", () => {
  const format = "arn:<partition>:<service>:<region>:<account-id>:<resource-id>";
  const rate = "Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's";
  const cases: [object, string][] = [
    [{ SourceArn: "dead" }, `You must use this format to specify the SourceArn: ${format}`],
    [{ SourceArn, DestinationArn: "x" }, `You must use this format to specify the DestinationArn: ${format}`],
    [{ SourceArn, DestinationArn: SourceArn }, "Source queue arn and destination queue arn cannot be the same."],
    [{ SourceArn, MaxNumberOfMessagesPerSecond: 0 }, `${rate} between 1 and 500.`],
    [{ SourceArn, MaxNumberOfMessagesPerSecond: 501 }, `${rate} between 1 and 500.`],
  ];
  for (const [input, text] of cases) assert.equal(refusedAs(jsonRequest("StartMessageMoveTask", input)).message, text);
  const given = jsonRequest("StartMessageMoveTask", { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 500 });
  assert.deepEqual(commandOf(given, "startMoveTask"), {
    kind: "startMoveTask",
    scope,
    sourceArn: SourceArn,
    destinationArn: DestinationArn,
    messagesPerSecondMax: 500,
  });
});

test("a list shows a handle only while the task runs, and a reason only when it failed", () => {
  const given = jsonRequest("ListMessageMoveTasks", { SourceArn });
  assert.equal(commandOf(given, "listMoveTasks").resultsMax, 1);
  const running: MoveTaskSummary = {
    taskId: "t",
    status: "RUNNING",
    sourceArn: SourceArn,
    movedCount: 1,
    toMoveCount: 5,
    startedAtMs: 1_700_000_000_000,
  };
  const failed: MoveTaskSummary = { ...running, status: "FAILED", failureReason: "gone", messagesPerSecondMax: 1 };
  const { Results } = jsonOf(answerTo(given, { tasks: [running, failed] })) as { Results: Record<string, unknown>[] };
  const shared = {
    SourceArn,
    ApproximateNumberOfMessagesMoved: 1,
    ApproximateNumberOfMessagesToMove: 5,
    StartedTimestamp: 1_700_000_000_000,
  };
  const [first, second] = Results as [Record<string, unknown>, Record<string, unknown>];
  const { TaskHandle, ...rest } = first;
  assert.equal(typeof TaskHandle, "string");
  assert.deepEqual(rest, { Status: "RUNNING", ...shared });
  assert.deepEqual(second, { Status: "FAILED", MaxNumberOfMessagesPerSecond: 1, FailureReason: "gone", ...shared });
  for (const MaxResults of [0, 11]) {
    const text = "Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10.";
    assert.equal(refusedAs(jsonRequest("ListMessageMoveTasks", { SourceArn, MaxResults })).message, text);
  }
});
