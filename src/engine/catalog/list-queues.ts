// ListQueues and ListDeadLetterSourceQueues: lexical order, and pages with a token that is bound to the request
// that got it (sqs.md §3.8).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { AnswerOf, CommandOf } from "../command.ts";
import { LIST_RESULTS_MAX } from "../limits.ts";
import { queueArn } from "../queue-arn.ts";
import { invalidParameter, type Refusal } from "../refusal.ts";
import type { ShardState } from "../state.ts";
import { queuesOf, requireQueue } from "./catalog.ts";
import { deadLetterTargetArn, type QueueRecord } from "./queue-record.ts";

export function listQueues(
  state: ShardState,
  command: CommandOf<"listQueues">,
): Result<AnswerOf<"listQueues">, Refusal> {
  const prefix = command.prefix ?? "";
  const queues = queuesOf(state.catalog, command.scope).filter((record) => record.queue.name.startsWith(prefix));
  return page(queues, `queues ${prefix}`, command.resultsMax, command.nextToken);
}

export function listDeadLetterSourceQueues(
  state: ShardState,
  command: CommandOf<"listDeadLetterSourceQueues">,
): Result<AnswerOf<"listDeadLetterSourceQueues">, Refusal> {
  const found = requireQueue(state.catalog, command.queue);
  if (!found.ok) return found;
  const arn = queueArn(command.queue);
  const sources = queuesOf(state.catalog, command.queue).filter((record) => deadLetterTargetArn(record) === arn);
  return page(sources, `sources ${arn}`, command.resultsMax, command.nextToken);
}

/** `request` is what must not change between pages; their size may. A token is only given to callers that asked for pages. */
function page(
  records: QueueRecord[],
  request: string,
  resultsMax: number | undefined,
  nextToken: string | undefined,
): Result<AnswerOf<"listQueues">, Refusal> {
  let rest = records;
  if (nextToken !== undefined) {
    const token = readToken(nextToken);
    if (token === undefined) return refuse(invalidParameter("Invalid or expired next token."));
    if (token.request !== request) {
      return refuse(
        invalidParameter(
          "Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.",
        ),
      );
    }
    rest = records.filter((record) => record.queue.name > token.after);
  }
  const shown = rest.slice(0, resultsMax ?? LIST_RESULTS_MAX);
  const queues = shown.map((record) => record.queue);
  const last = shown.at(-1);
  if (resultsMax === undefined || last === undefined || rest.length <= shown.length) return accept({ queues });
  return accept({ queues, nextToken: btoa(JSON.stringify({ request, after: last.queue.name })) });
}

function readToken(text: string): { request: string; after: string } | undefined {
  try {
    const token = JSON.parse(atob(text)) as { request?: unknown; after?: unknown };
    if (typeof token.request !== "string" || typeof token.after !== "string") return undefined;
    return { request: token.request, after: token.after };
  } catch {
    return undefined;
  }
}
