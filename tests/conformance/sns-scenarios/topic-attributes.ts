// What topics say of themselves, what can be set, and permissions (fanout.md A4).

import assert from "node:assert/strict";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import { ACCOUNT, freshName, scenarios } from "../world.ts";

scenarios("SNS topic attributes", (scenario) => {
  scenario("a fresh topic has its defaults and nothing else", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-fresh") });
    const { Attributes = {} } = await sns.getTopicAttributes({ TopicArn });
    const { Policy, EffectiveDeliveryPolicy, ...others } = Attributes;
    assert.deepEqual(others, {
      TopicArn,
      Owner: ACCOUNT,
      DisplayName: "",
      SubscriptionsConfirmed: "0",
      SubscriptionsPending: "0",
      SubscriptionsDeleted: "0",
    });
    const policy = JSON.parse(Policy ?? "");
    assert.equal(policy.Version, "2008-10-17");
    assert.equal(policy.Id, "__default_policy_ID");
    const [statement] = policy.Statement;
    assert.equal(statement.Sid, "__default_statement_ID");
    assert.equal(statement.Action.length, 8);
    assert.deepEqual(statement.Condition, { StringEquals: { "AWS:SourceOwner": ACCOUNT } });
    assert.deepEqual(JSON.parse(EffectiveDeliveryPolicy ?? ""), {
      http: {
        defaultHealthyRetryPolicy: {
          minDelayTarget: 20,
          maxDelayTarget: 20,
          numRetries: 3,
          numMaxDelayRetries: 0,
          numNoDelayRetries: 0,
          numMinDelayRetries: 0,
          backoffFunction: "linear",
        },
        disableSubscriptionOverrides: false,
        defaultRequestPolicy: { headerContentType: "text/plain; charset=UTF-8" },
      },
    });
  });

  scenario("a FIFO topic says that it is one and how it deduplicates", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName(".fifo"), Attributes: { FifoTopic: "true" } });
    const before = (await sns.getTopicAttributes({ TopicArn })).Attributes ?? {};
    assert.equal(before.FifoTopic, "true");
    assert.equal(before.ContentBasedDeduplication, "false");
    const set = (AttributeName: string, AttributeValue: string) =>
      sns.setTopicAttributes({ TopicArn, AttributeName, AttributeValue });
    await set("ContentBasedDeduplication", "true");
    await set("FifoThroughputScope", "MessageGroup");
    await set("ArchivePolicy", '{"MessageRetentionPeriod":"30"}');
    const after = (await sns.getTopicAttributes({ TopicArn })).Attributes ?? {};
    assert.equal(after.ContentBasedDeduplication, "true");
    assert.equal(after.FifoThroughputScope, "MessageGroup");
    assert.equal(after.BeginningArchiveTime, new Date(world.nowMs()).toISOString());
    await assertSnsRefused(sns.deleteTopic({ TopicArn }), "InvalidState");
    await set("ArchivePolicy", "{}");
    const { Attributes = {} } = await sns.getTopicAttributes({ TopicArn });
    assert.equal(Attributes.ArchivePolicy, undefined);
    assert.equal(Attributes.BeginningArchiveTime, undefined);
    await assertSnsRefused(set("ArchivePolicy", '{"MessageRetentionPeriod":"366"}'), "InvalidParameter");
    await sns.deleteTopic({ TopicArn });
  });

  scenario("what is set is read back, and what is wrong or unknown is refused", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-set") });
    const set = (AttributeName: string, AttributeValue: string) =>
      sns.setTopicAttributes({ TopicArn, AttributeName, AttributeValue });
    const values = {
      DisplayName: "Spring",
      SignatureVersion: "2",
      TracingConfig: "Active",
      KmsMasterKeyId: "alias/aws/sns",
      HTTPSuccessFeedbackSampleRate: "100",
      LambdaFailureFeedbackRoleArn: `arn:aws:iam::${ACCOUNT}:role/feedback`,
      DeliveryPolicy: '{"http":{"defaultHealthyRetryPolicy":{"numRetries":5}}}',
    };
    for (const [name, value] of Object.entries(values)) await set(name, value);
    const { Attributes = {} } = await sns.getTopicAttributes({ TopicArn });
    for (const [name, value] of Object.entries(values)) {
      if (name !== "DeliveryPolicy") assert.equal(Attributes[name], value, name);
    }
    assert.deepEqual(JSON.parse(Attributes.DeliveryPolicy ?? ""), {
      http: { disableSubscriptionOverrides: false, defaultHealthyRetryPolicy: { numRetries: 5 } },
    });
    const effective = JSON.parse(Attributes.EffectiveDeliveryPolicy ?? "");
    assert.equal(effective.http.defaultHealthyRetryPolicy.numRetries, 5);
    assert.equal(effective.http.defaultHealthyRetryPolicy.minDelayTarget, 20);
    for (const name of ["NoSuchThing", "FifoTopic"]) {
      await assertSnsRefused(set(name, "true"), "InvalidParameter", "Invalid parameter: AttributeName");
    }
    for (const [name, value] of [
      ["SignatureVersion", "3"],
      ["TracingConfig", "Sometimes"],
      ["HTTPSuccessFeedbackSampleRate", "101"],
      ["ContentBasedDeduplication", "true"],
      ["Policy", "{"],
      ["DisplayName", "d".repeat(101)],
      ["DeliveryPolicy", '{"http":{"defaultHealthyRetryPolicy":{"numRetries":101}}}'],
      ["DeliveryPolicy", '{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":30}}}'],
      ["DeliveryPolicy", '{"healthyRetryPolicy":{"numRetries":1}}'],
      ["DeliveryPolicy", '{"http":{"defaultHealthyRetryPolicy":{"numRetries":2,"numNoDelayRetries":3}}}'],
      ["DeliveryPolicy", '{"http":{"defaultThrottlePolicy":{"maxReceivesPerSecond":0}}}'],
      ["DeliveryPolicy", "no JSON"],
    ] as const) {
      await assertSnsRefused(set(name, value), "InvalidParameter", /^Invalid parameter: /);
    }
  });

  scenario("permissions are statements of the policy, by label", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-perm") });
    const grant = { TopicArn, Label: "friends", AWSAccountId: ["111111111111", "222222222222"] };
    await sns.addPermission({ ...grant, ActionName: ["Publish"] });
    const statements = async () =>
      JSON.parse((await sns.getTopicAttributes({ TopicArn })).Attributes?.Policy ?? "").Statement;
    const [, added] = await statements();
    assert.deepEqual(added, {
      Sid: "friends",
      Effect: "Allow",
      Principal: { AWS: ["arn:aws:iam::111111111111:root", "arn:aws:iam::222222222222:root"] },
      Action: "SNS:Publish",
      Resource: TopicArn,
    });
    const again = sns.addPermission({ ...grant, ActionName: ["Subscribe"] });
    await assertSnsRefused(again, "InvalidParameter", "Invalid parameter: Statement already exists");
    const foreign = sns.addPermission({ ...grant, Label: "other", ActionName: ["CreateQueue"] });
    const outside = "Invalid parameter: Policy statement action out of service scope!";
    await assertSnsRefused(foreign, "InvalidParameter", outside);
    await sns.removePermission({ TopicArn, Label: "friends" });
    assert.equal((await statements()).length, 1);
  });
});
