// Pages of a hundred, and tags (fanout.md A3, A4).

import assert from "node:assert/strict";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import { ACCOUNT, freshName, REGION, scenarios } from "../world.ts";

scenarios("SNS lists and tags", (scenario) => {
  scenario("topics and subscriptions come in pages of a hundred", async (world) => {
    const sns = snsOf(world);
    const Name = freshName("-many");
    for (let n = 0; n < 105; n++) await sns.createTopic({ Name: `${Name}-${n}` });
    const first = await sns.listTopics({});
    assert.equal(first.Topics?.length, 100);
    const second = await sns.listTopics({ NextToken: first.NextToken as string });
    assert.ok((second.Topics?.length ?? 0) >= 5);
    const seen = new Set([...(first.Topics ?? []), ...(second.Topics ?? [])].map((topic) => topic.TopicArn));
    assert.equal(seen.size, 100 + (second.Topics?.length ?? 0));

    const { TopicArn } = await sns.createTopic({ Name });
    for (let n = 0; n < 101; n++) {
      const Endpoint = `arn:aws:sqs:${REGION}:${ACCOUNT}:${Name}-${n}`;
      await sns.subscribe({ TopicArn, Protocol: "sqs", Endpoint });
    }
    const page = await sns.listSubscriptionsByTopic({ TopicArn });
    assert.equal(page.Subscriptions?.length, 100);
    const rest = await sns.listSubscriptionsByTopic({ TopicArn, NextToken: page.NextToken as string });
    assert.equal(rest.Subscriptions?.length, 1);
    assert.equal(rest.NextToken, undefined);
    const all = await sns.listSubscriptions({});
    assert.equal(all.Subscriptions?.length, 100);
    assert.ok(all.NextToken);
    await assertSnsRefused(sns.listTopics({ NextToken: "?" }), "InvalidParameter", "Invalid parameter: NextToken");
  });

  scenario("tags are added, overwritten and taken off", async (world) => {
    const sns = snsOf(world);
    const { TopicArn: ResourceArn } = await sns.createTopic({
      Name: freshName("-tags"),
      Tags: [{ Key: "a", Value: "1" }],
    });
    await sns.tagResource({
      ResourceArn,
      Tags: [
        { Key: "a", Value: "2" },
        { Key: "b", Value: "" },
      ],
    });
    const tags = async () => (await sns.listTagsForResource({ ResourceArn })).Tags;
    assert.deepEqual(await tags(), [
      { Key: "a", Value: "2" },
      { Key: "b", Value: "" },
    ]);
    await sns.untagResource({ ResourceArn, TagKeys: ["a", "none"] });
    assert.deepEqual(await tags(), [{ Key: "b", Value: "" }]);
    const twice = sns.tagResource({
      ResourceArn,
      Tags: [
        { Key: "k", Value: "1" },
        { Key: "k", Value: "2" },
      ],
    });
    await assertSnsRefused(twice, "InvalidParameter", "Invalid parameter: Duplicated keys are not allowed.");
    const missing = sns.listTagsForResource({ ResourceArn: `${ResourceArn}-missing` });
    await assertSnsRefused(missing, "ResourceNotFound", "Resource does not exist", 404);
    const many = Array.from({ length: 50 }, (_, n) => ({ Key: `k${n}`, Value: "v" }));
    await assertSnsRefused(sns.tagResource({ ResourceArn, Tags: many }), "TagLimitExceeded");
  });

  scenario("settings for text messages are kept, and nobody opted out", async (world) => {
    const sns = snsOf(world);
    await sns.setSMSAttributes({ attributes: { DefaultSMSType: "Transactional", DefaultSenderID: "pond" } });
    assert.deepEqual((await sns.getSMSAttributes({ attributes: ["DefaultSMSType"] })).attributes, {
      DefaultSMSType: "Transactional",
    });
    assert.equal(Object.keys((await sns.getSMSAttributes({})).attributes ?? {}).length, 2);
    await assertSnsRefused(sns.setSMSAttributes({ attributes: { Nonsense: "1" } }), "InvalidParameter");
    assert.equal((await sns.checkIfPhoneNumberIsOptedOut({ phoneNumber: "+15550100200" })).isOptedOut, false);
    assert.deepEqual((await sns.listPhoneNumbersOptedOut({})).phoneNumbers, []);
    await sns.optInPhoneNumber({ phoneNumber: "+15550100200" });
    assert.ok((await sns.publish({ PhoneNumber: "+15550100200", Message: "hello" })).MessageId);
    const bad = sns.publish({ PhoneNumber: "NAA+15550100200", Message: "hello" });
    const text = "Invalid parameter: PhoneNumber Reason: NAA+15550100200 is not valid to publish to";
    await assertSnsRefused(bad, "InvalidParameter", text);
  });
});
