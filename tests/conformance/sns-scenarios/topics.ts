// Topics: names, making the same one twice, deleting, addresses (fanout.md A4).

import assert from "node:assert/strict";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import { ACCOUNT, freshName, REGION, scenarios } from "../world.ts";

const arnOf = (name: string) => `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`;

scenarios("SNS topics", (scenario) => {
  scenario("a topic has an ARN and is listed until it is deleted", async (world) => {
    const sns = snsOf(world);
    const name = freshName("-topic_A");
    const { TopicArn } = await sns.createTopic({ Name: name });
    assert.equal(TopicArn, arnOf(name));
    const listed = async () => ((await sns.listTopics({})).Topics ?? []).map((topic) => topic.TopicArn);
    assert.ok((await listed()).includes(TopicArn));
    await sns.deleteTopic({ TopicArn });
    assert.ok(!(await listed()).includes(TopicArn));
    await sns.deleteTopic({ TopicArn });
    await assertSnsRefused(sns.getTopicAttributes({ TopicArn }), "NotFound", "Topic does not exist", 404);
  });

  scenario("names are letters, digits, hyphens and underscores, 256 at most", async (world) => {
    const sns = snsOf(world);
    assert.ok((await sns.createTopic({ Name: "n".repeat(256) })).TopicArn);
    for (const Name of ["n".repeat(257), "", "a:b", "a;b", "a!b", "a@b", "a|b", "a^b", "a%b", "a b", "a.b"]) {
      await assertSnsRefused(sns.createTopic({ Name }), "InvalidParameter", "Invalid parameter: Topic Name");
    }
  });

  scenario(".fifo belongs to FIFO topics, and only to them", async (world) => {
    const sns = snsOf(world);
    const name = freshName("-f");
    const fifo = (Name: string, FifoTopic: string) => sns.createTopic({ Name, Attributes: { FifoTopic } });
    const badName = ["InvalidParameter", "Invalid parameter: Topic Name"] as const;
    await assertSnsRefused(fifo(name, "true"), ...badName);
    await assertSnsRefused(fifo(`${name}.fifo`, "false"), ...badName);
    await assertSnsRefused(sns.createTopic({ Name: `${name}.fifo` }), ...badName);
    assert.equal((await fifo(`${name}.fifo`, "true")).TopicArn, arnOf(`${name}.fifo`));
    assert.equal((await fifo(name, "false")).TopicArn, arnOf(name));
  });

  scenario("making a topic again is fine unless it asks for something else", async (world) => {
    const sns = snsOf(world);
    const Name = freshName("-again");
    const Attributes = { DisplayName: "Spring" };
    const Tags = [
      { Key: "a", Value: "1" },
      { Key: "b", Value: "2" },
    ];
    const { TopicArn } = await sns.createTopic({ Name, Attributes, Tags });
    const same = [{}, { Attributes }, { Attributes: { FifoTopic: "false" } }, { Tags }, { Tags: Tags.slice(0, 1) }];
    for (const more of same) assert.equal((await sns.createTopic({ Name, ...more })).TopicArn, TopicArn);
    const otherAttributes = "Invalid parameter: Attributes Reason: Topic already exists with different attributes";
    for (const Other of [{ DisplayName: "Autumn" }, { DisplayName: "Spring", SignatureVersion: "1" }]) {
      const again = sns.createTopic({ Name, Attributes: Other });
      await assertSnsRefused(again, "InvalidParameter", otherAttributes);
    }
    const otherTags = "Invalid parameter: Tags Reason: Topic already exists with different tags";
    for (const Tag of [
      { Key: "a", Value: "2" },
      { Key: "c", Value: "1" },
    ]) {
      await assertSnsRefused(sns.createTopic({ Name, Tags: [Tag] }), "InvalidParameter", otherTags);
    }
    await sns.deleteTopic({ TopicArn });
    assert.equal((await sns.createTopic({ Name, Tags: [{ Key: "c", Value: "1" }] })).TopicArn, TopicArn);
  });

  scenario("an ARN has six parts and is of this region", async (world) => {
    const sns = snsOf(world);
    const short = "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1";
    await assertSnsRefused(sns.getTopicAttributes({ TopicArn: "spring" }), "InvalidParameter", short);
    const elsewhere = `arn:aws:sns:eu-west-1:${ACCOUNT}:spring`;
    for (const call of [
      () => sns.getTopicAttributes({ TopicArn: elsewhere }),
      () => sns.deleteTopic({ TopicArn: elsewhere }),
      () => sns.publish({ TopicArn: elsewhere, Message: "m" }),
    ]) {
      await assertSnsRefused(call(), "InvalidParameter", "Invalid parameter: TopicArn");
    }
  });

  scenario("what this server does not do says so", async (world) => {
    const call = snsOf(world).listPlatformApplications({});
    await assertSnsRefused(call, "InvalidAction", "The action ListPlatformApplications is not offered by this server");
  });
});
