// ListDeadLetterSourceQueues: URLs of the queues whose redrive policy names this one. Unlike ListQueues it spells
// its list with a small letter, and sends it even when it is empty.

import { refuse } from "../../base/result.ts";
import { ask, operation } from "./operation.ts";
import { checkPage, pageOf, urlsOf } from "./page.ts";
import { queueOf } from "./queue-address.ts";

export const listDeadLetterSourceQueues = operation("ListDeadLetterSourceQueues", (input, call) => {
  const queue = queueOf(input.QueueUrl, call);
  if (!queue.ok) return queue;
  const refused = checkPage(input);
  if (refused !== undefined) return refuse(refused);
  return ask({ kind: "listDeadLetterSourceQueues", queue: queue.value, ...pageOf(input) }, ({ queues, nextToken }) => ({
    queueUrls: urlsOf(queues, call),
    NextToken: nextToken,
  }));
});
