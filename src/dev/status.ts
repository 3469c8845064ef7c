// How the declared queues and functions are at the moment.

import { functionArn } from "../host/index.ts";
import type { RunningServer } from "../server/index.ts";
import type { Project } from "./project.ts";
import type { DeclareWorld } from "./reconcile.ts";

export interface QueueStatus {
  is: "queue";
  name: string;
  waiting: number;
  inFlight: number;
  delayed: number;
}

export interface FunctionStatus {
  is: "function";
  name: string;
  /** Since the server was started. */
  calls: number;
  failed: number;
  /** Messages that came back from it, named in an answer or with a whole batch. */
  messagesFailed: number;
  throttled: number;
  running: number;
  reloads: number;
}

export type Status = QueueStatus | FunctionStatus;

export async function statusOf(server: RunningServer, { scope, host }: DeclareWorld, project: Project) {
  const statuses: Status[] = [];
  for (const { name } of project.queues) {
    const outcome = await host.execute<"getQueueAttributes">({ kind: "getQueueAttributes", queue: { ...scope, name } });
    // Somebody deleted it; declaring anew brings it back.
    if (!outcome.ok) continue;
    const count = (attribute: string) => Number(outcome.value.attributes[attribute] ?? 0);
    statuses.push({
      is: "queue",
      name,
      waiting: count("ApproximateNumberOfMessages"),
      inFlight: count("ApproximateNumberOfMessagesNotVisible"),
      delayed: count("ApproximateNumberOfMessagesDelayed"),
    });
  }
  const listed = await server.functions.list();
  const counts = new Map(listed.map((each) => [functionArn(each.record.function), each.counts]));
  const reports = server.mappings.reports();
  for (const { name } of project.functions) {
    const arn = functionArn({ ...scope, name });
    const known = counts.get(arn);
    const fed = reports.filter(({ mapping }) => mapping.functionArn === arn);
    statuses.push({
      is: "function",
      name,
      calls: known?.invocations ?? 0,
      failed: known?.errors ?? 0,
      messagesFailed: fed.reduce((sum, report) => sum + report.counts.failed, 0),
      throttled: known?.throttles ?? 0,
      running: known?.running ?? 0,
      reloads: known?.reloads ?? 0,
    });
  }
  return statuses;
}
