// Confirming and cancelling subscriptions by the links that messages carry, unsigned (fanout.md A1, A5).

import assert from "node:assert/strict";
import { resourcesOf } from "../catalog.ts";
import { elementText, get } from "../http.ts";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import type { World } from "../world.ts";
import { freshName, scenarios } from "../world.ts";

async function pending(world: World) {
  const sns = snsOf(world);
  const { TopicArn = "" } = await sns.createTopic({ Name: freshName("-t") });
  const to = { TopicArn, Protocol: "http", Endpoint: "http://127.0.0.1:1/hook", ReturnSubscriptionArn: true };
  const { SubscriptionArn = "" } = await sns.subscribe(to);
  // The endpoint would read it in the message that it gets.
  const token = () => resourcesOf(world).get("subscription", SubscriptionArn)?.token ?? "";
  const isPending = async () =>
    (await sns.getSubscriptionAttributes({ SubscriptionArn })).Attributes?.PendingConfirmation;
  return { sns, to, TopicArn, SubscriptionArn, token, isPending };
}

scenarios("SNS confirmation", (scenario) => {
  scenario("the link of the message confirms, as often as it is followed", async (world) => {
    const { sns, TopicArn, SubscriptionArn, token, isPending } = await pending(world);
    assert.equal(await isPending(), "true");
    for (let time = 0; time < 2; time++) {
      const fields = { Action: "ConfirmSubscription", TopicArn, Token: token() };
      const answer = await get(world.endpoint, "/", fields);
      assert.equal(answer.status, 200);
      assert.equal(elementText(answer, "SubscriptionArn"), SubscriptionArn);
    }
    assert.equal(await isPending(), "false");
    const { Attributes } = await sns.getSubscriptionAttributes({ SubscriptionArn });
    assert.equal(Attributes?.ConfirmationWasAuthenticated, "false");
  });

  scenario("another topic of the region does as well; a bad topic or token does not", async (world) => {
    const { sns, TopicArn, SubscriptionArn, token } = await pending(world);
    const confirm = (topic: string, Token: string) => sns.confirmSubscription({ TopicArn: topic, Token });
    await assertSnsRefused(confirm(TopicArn, "frog"), "InvalidParameter", "Invalid token");
    await assertSnsRefused(confirm(TopicArn, "0a".repeat(32)), "InvalidParameter", "Invalid parameter: Token");
    await assertSnsRefused(confirm("spring", token()), "InvalidParameter", "Invalid parameter: Topic");
    const elsewhere = TopicArn.replace("us-east-1", "eu-west-1");
    await assertSnsRefused(confirm(elsewhere, token()), "InvalidParameter", "Invalid parameter: Topic");
    assert.equal((await confirm(`${TopicArn}-other`, token())).SubscriptionArn, SubscriptionArn);
  });

  scenario("a token is good for two days, and subscribing again makes another", async (world) => {
    const { sns, to, TopicArn, SubscriptionArn, token } = await pending(world);
    const first = token();
    await sns.subscribe(to);
    assert.equal(token(), first);
    await world.advance(2 * 24 * 3600);
    const late = sns.confirmSubscription({ TopicArn, Token: first });
    await assertSnsRefused(late, "InvalidParameter", "Invalid parameter: Token");
    assert.equal((await sns.subscribe(to)).SubscriptionArn, SubscriptionArn);
    assert.notEqual(token(), first);
    assert.equal((await sns.confirmSubscription({ TopicArn, Token: token() })).SubscriptionArn, SubscriptionArn);
  });

  scenario("the unsubscribe link works unless the confirmation forbade that", async (world) => {
    const open = await pending(world);
    const fields = { Action: "Unsubscribe", SubscriptionArn: open.SubscriptionArn };
    await open.sns.confirmSubscription({ TopicArn: open.TopicArn, Token: open.token() });
    assert.equal((await get(world.endpoint, "/", fields)).status, 200);
    await assertSnsRefused(open.isPending(), "NotFound", undefined, 404);

    const { sns, TopicArn, SubscriptionArn, token } = await pending(world);
    await sns.confirmSubscription({ TopicArn, Token: token(), AuthenticateOnUnsubscribe: "true" });
    const refused = await get(world.endpoint, "/", { Action: "Unsubscribe", SubscriptionArn });
    assert.equal(refused.status, 403);
    assert.equal(elementText(refused, "Code"), "AuthorizationError");
    await sns.unsubscribe({ SubscriptionArn });
  });

  scenario("nobody unsubscribes what is pending, until its token has expired", async (world) => {
    const { sns, SubscriptionArn, isPending } = await pending(world);
    const message =
      "Invalid parameter: SubscriptionArn Reason: Cannot unsubscribe a subscription that is pending confirmation";
    await assertSnsRefused(sns.unsubscribe({ SubscriptionArn }), "InvalidParameter", message);
    assert.equal((await get(world.endpoint, "/", { Action: "Unsubscribe", SubscriptionArn })).status, 400);
    assert.equal(await isPending(), "true");
    await world.advance(2 * 24 * 3600);
    await sns.unsubscribe({ SubscriptionArn });
    await assertSnsRefused(isPending(), "NotFound", undefined, 404);
  });

  scenario("a link works from a page of another origin, which no other unsigned request does", async (world) => {
    const { TopicArn, token } = await pending(world);
    const foreign = { "sec-fetch-site": "cross-site" };
    const link = { Action: "ConfirmSubscription", TopicArn, Token: token() };
    assert.equal((await get(world.endpoint, "/", link, foreign)).status, 200);
    const forged = { Action: "DeleteTopic", TopicArn, Version: "2010-03-31" };
    assert.equal((await get(world.endpoint, "/", forged, foreign)).status, 403);
  });
});
