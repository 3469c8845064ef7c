// millpond queue redrive: starts a move task on a dead-letter queue and follows it to its end. The task is the
// server's and durable: leaving early, or a restart, does not stop it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Call, Command } from "./command.ts";
import { textFlag } from "./command.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { given, numberFlag, operandsOf } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

const POLL_MS = 500;

interface Task {
  TaskHandle?: string;
  Status: "RUNNING" | "COMPLETED" | "CANCELLING" | "CANCELLED" | "FAILED";
  ApproximateNumberOfMessagesMoved?: number;
  ApproximateNumberOfMessagesToMove?: number;
  FailureReason?: string;
  StartedTimestamp?: number;
}

export const queueRedrive: Command = {
  about:
    "The server moves them in the background; this follows the progress. Without --to, each message returns to the queue it came from. NAME must be some queue's dead-letter queue.",
  examples: ["queue redrive orders-failed", "queue redrive orders-failed --to orders-retry --rate 50"],
  flags: {
    to: { type: "string", placeholder: "NAME", help: "move all to this queue instead" },
    rate: { type: "string", placeholder: "N", help: "at most N messages per second, 1 to 500" },
    detach: { type: "boolean", help: "start the task and return at once" },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "queue redrive NAME [--to OTHER] [--rate N] [--detach]");
    const client = new QueueClient(call);
    const to = textFlag(call, "to");
    const { TaskHandle } = await client.call<{ TaskHandle: string }>(
      "StartMessageMoveTask",
      given({
        SourceArn: client.arnOf(name),
        DestinationArn: to === undefined ? undefined : client.arnOf(to),
        MaxNumberOfMessagesPerSecond: numberFlag(call, "rate"),
      }),
    );
    if (call.flags["detach"] === true) {
      return call.output.result({ status: "RUNNING", taskHandle: TaskHandle }, `Started. Task handle: ${TaskHandle}`);
    }
    report(call, name, await follow(call, client, name));
  },
};

/** Only one task of a queue runs at a time, so the newest is ours. Undefined: the user left before the end. */
async function follow(call: Call, client: QueueClient, name: string): Promise<Task | undefined> {
  let shown = "";
  while (!call.interrupted.aborted) {
    const task = await newestTask(client, name).catch((error: unknown) => {
      if (call.interrupted.aborted) return undefined;
      throw error;
    });
    if (call.interrupted.aborted) break;
    if (task === undefined || (task.Status !== "RUNNING" && task.Status !== "CANCELLING")) return task;
    const progress = `Moved ${task.ApproximateNumberOfMessagesMoved ?? 0} of about ${task.ApproximateNumberOfMessagesToMove ?? "?"}`;
    if (progress !== shown && !call.output.isJson) call.output.note(progress);
    shown = progress;
    await sleep(POLL_MS, undefined, { signal: call.interrupted }).catch(() => {});
  }
  return undefined;
}

async function newestTask(client: QueueClient, name: string): Promise<Task | undefined> {
  const input = { SourceArn: client.arnOf(name), MaxResults: 1 };
  const { Results = [] } = await client.call<{ Results?: Task[] }>("ListMessageMoveTasks", input);
  return Results[0];
}

function report(call: Call, name: string, task: Task | undefined): void {
  if (task === undefined) {
    return call.output.result({ status: "RUNNING" }, `The task goes on in the server; messages keep leaving ${name}.`);
  }
  const movedCount = task.ApproximateNumberOfMessagesMoved ?? 0;
  if (task.Status === "FAILED") {
    throw new CliError(
      EXIT.refused,
      "MoveTaskFailed",
      `The task failed after ${counted(movedCount)}: ${task.FailureReason ?? "no reason was given"}.`,
    );
  }
  const verb = task.Status === "CANCELLED" ? "was cancelled after" : "moved";
  call.output.result({ status: task.Status, movedCount }, `The task ${verb} ${counted(movedCount)}.`);
}

function counted(messageCount: number): string {
  return messageCount === 1 ? "1 message" : `${messageCount} messages`;
}
