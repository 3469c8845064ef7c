// Pages of topics and subscriptions: their token, and how a list shows a subscription.

import type { SubscriptionSummary } from "../../engine/command.ts";

export function pageOf({ NextToken }: { NextToken?: string }): { nextToken?: string } {
  return NextToken === undefined || NextToken === "" ? {} : { nextToken: NextToken };
}

/** What is not confirmed has no ARN that a list would tell. */
export function listedSubscription({ arn, topicArn, protocol, endpoint, owner, pending }: SubscriptionSummary) {
  return {
    SubscriptionArn: pending ? "PendingConfirmation" : arn,
    Owner: owner,
    Protocol: protocol,
    Endpoint: endpoint,
    TopicArn: topicArn,
  };
}
