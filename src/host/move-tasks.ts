// Message move tasks: which queues a task may run between, and where its messages go at each step, is found here, in
// the catalog; the task itself is the engine's (sqs.md §7.3).

import { accept, refuse } from "../base/result.ts";
import type { CommandOf, Outcome } from "../engine/command.ts";
import { dueTasks, isFifo, listDeadLetterSourceQueues, moveTaskSummary, type TransferTarget } from "../engine/index.ts";
import { invalidParameter, type Refusal, refusal } from "../engine/refusal.ts";
import type { Place } from "./queue-catalog.ts";
import type { Shard } from "./shard.ts";
import type { MillpondHost } from "./start-host.ts";

export async function startMoveTask(host: MillpondHost, command: CommandOf<"startMoveTask">): Promise<Outcome> {
  const source = host.catalog.placeOfArn(command.sourceArn);
  if (source === undefined) return refuse(noResource("SourceArn"));
  const problem = refuseDestination(host, command, source);
  if (problem !== undefined) return refuse(problem);
  const taskId = host.options.ids.uuid();
  const outcome = await host.onPlace<"startMoveTask">(source, {
    kind: "startMoveTask",
    partition: source.partition,
    taskId,
    sourceArn: command.sourceArn,
    destinationArn: command.destinationArn,
    messagesPerSecondMax: command.messagesPerSecondMax,
  });
  return outcome.ok ? accept({ taskId, sourceArn: command.sourceArn }) : outcome;
}

export async function listMoveTasks(host: MillpondHost, command: CommandOf<"listMoveTasks">): Promise<Outcome> {
  const source = host.catalog.placeOfArn(command.sourceArn);
  if (source === undefined) return refuse(noResource("SourceArn"));
  const { answer, dependsOn } = source.shard.run((state) =>
    state.partition(source.partition).moveTasks.map(moveTaskSummary),
  );
  await source.shard.whenDurable(dependsOn);
  return accept({ tasks: answer.slice(0, command.resultsMax) });
}

export async function cancelMoveTask(host: MillpondHost, command: CommandOf<"cancelMoveTask">): Promise<Outcome> {
  const source = host.catalog.placeOfArn(command.sourceArn);
  if (source === undefined) return refuse(noResource("SourceArn"));
  const { partition } = source;
  const outcome = await host.onPlace<"cancelMoveTask">(source, {
    kind: "cancelMoveTask",
    partition,
    taskId: command.taskId,
  });
  return outcome as Outcome;
}

/** Takes the steps of running tasks that are due on a shard: finds where messages go and lets the engine send them. */
export class MoveTaskSteps {
  readonly #host: MillpondHost;
  /** A step is a change of the shard, after which steps are looked for again. */
  #isStepping = false;

  constructor(host: MillpondHost) {
    this.#host = host;
  }

  run(shard: Shard): void {
    if (this.#isStepping || this.#host.catalogShard.mode !== "serving") return;
    this.#isStepping = true;
    try {
      for (const { partition, taskId } of dueTasks(shard.state)) this.#step(shard, partition, taskId);
    } finally {
      this.#isStepping = false;
    }
  }

  #step(shard: Shard, partition: number, taskId: string): void {
    const task = shard.state.runningTasks.get(taskId)?.task;
    if (task === undefined) return;
    const origins: Record<string, TransferTarget> = {};
    for (const arn of shard.state.origins) {
      const target = arn === "" ? undefined : this.#host.catalog.targetOf(arn);
      if (target !== undefined) origins[arn] = target;
    }
    const { destinationArn } = task;
    const destination =
      destinationArn === undefined ? undefined : (this.#host.catalog.targetOf(destinationArn) ?? null);
    shard.perform<"stepMoveTask">({ kind: "stepMoveTask", partition, taskId, destination, origins });
  }
}

function refuseDestination(
  host: MillpondHost,
  command: CommandOf<"startMoveTask">,
  source: Place,
): Refusal | undefined {
  const sources = listDeadLetterSourceQueues(host.catalogShard.state, {
    kind: "listDeadLetterSourceQueues",
    queue: source.record.queue,
  });
  if (sources.ok && sources.value.queues.length === 0) {
    return invalidParameter("Source queue must be configured as a Dead Letter Queue.");
  }
  if (command.destinationArn === undefined) return undefined;
  // It would never end: each message comes back as one that is still to be moved.
  if (command.destinationArn === command.sourceArn) {
    return invalidParameter("Source queue arn and destination queue arn cannot be the same.");
  }
  const destination = host.catalog.placeOfArn(command.destinationArn);
  if (destination === undefined) return noResource("DestinationArn");
  if (isFifo(destination.record) === isFifo(source.record)) return undefined;
  return invalidParameter("The source queue and destination queue must be of the same queue type.");
}

function noResource(parameter: string): Refusal {
  return refusal(
    "ResourceNotFoundException",
    `The resource that you specified for the ${parameter} parameter doesn't exist.`,
  );
}
