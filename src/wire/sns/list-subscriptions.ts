// ListSubscriptions: the caller's subscriptions, 100 a page.

import { ask, operation } from "./operation.ts";
import { listedSubscription, pageOf } from "./page.ts";

export const listSubscriptions = operation("ListSubscriptions", (input, call) =>
  ask({ kind: "listSubscriptions", scope: call.scope, ...pageOf(input) }, ({ subscriptions, nextToken }) => ({
    Subscriptions: subscriptions.map(listedSubscription),
    NextToken: nextToken,
  })),
);
