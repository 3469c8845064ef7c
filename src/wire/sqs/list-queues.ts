// ListQueues: URLs of the caller's queues, a page at a time when MaxResults is given. No match: no member at all.

import { refuse } from "../../base/result.ts";
import { ask, operation } from "./operation.ts";
import { checkPage, pageOf, urlsOf } from "./page.ts";

export const listQueues = operation("ListQueues", (input, call) => {
  const refused = checkPage(input);
  if (refused !== undefined) return refuse(refused);
  const { QueueNamePrefix: prefix = "" } = input;
  const wanted = prefix === "" ? {} : { prefix };
  return ask({ kind: "listQueues", scope: call.scope, ...wanted, ...pageOf(input) }, ({ queues, nextToken }) => ({
    QueueUrls: queues.length === 0 ? undefined : urlsOf(queues, call),
    NextToken: nextToken,
  }));
});
