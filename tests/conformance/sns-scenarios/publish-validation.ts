// What Publish and PublishBatch refuse (fanout.md A6).

import assert from "node:assert/strict";
import type { MessageAttributeValue } from "@aws-sdk/client-sns";
import { assertSnsRefused, snsOf } from "../sns-client.ts";
import { freshName, scenarios } from "../world.ts";

const LIMIT = 262_144;

scenarios("SNS publish validation", (scenario) => {
  scenario("a message has one destination and is not empty", async (world) => {
    const sns = snsOf(world);
    const { TopicArn = "" } = await sns.createTopic({ Name: freshName("-t") });
    const refused = (call: Promise<unknown>, message: string | RegExp) =>
      assertSnsRefused(call, "InvalidParameter", message);
    await refused(sns.publish({ TopicArn, Message: "" }), "Invalid parameter: Empty message");
    await refused(
      sns.publish({ Message: "m" }),
      "Invalid parameter: TopicArn or TargetArn Reason: no value for required parameter",
    );
    await refused(sns.publish({ TopicArn, PhoneNumber: "+15550100200", Message: "m" }), /^Invalid parameter: /);
    await refused(
      sns.publish({ TargetArn: TopicArn.replace(/[^:]*$/, "endpoint/APNS/app/x"), Message: "m" }),
      "Invalid parameter: TargetArn Reason: No endpoint found for the target arn specified",
    );
    const missing = sns.publish({ TopicArn: `${TopicArn}-missing`, Message: "m" });
    await assertSnsRefused(missing, "NotFound", "Topic does not exist", 404);
    for (const Subject of ["", "a\nb", "a\tb", "s".repeat(101)]) {
      await refused(sns.publish({ TopicArn, Message: "m", Subject }), "Invalid parameter: Subject");
    }
  });

  scenario("a message with its attributes is at most 256 KiB", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const tooLong = "Invalid parameter: Message too long";
    await assertSnsRefused(sns.publish({ TopicArn, Message: "m".repeat(LIMIT + 1) }), "InvalidParameter", tooLong);
    const MessageAttributes = { ab: { DataType: "String", StringValue: "xy" } };
    const Message = "m".repeat(LIMIT - 2 - 6 - 2 + 1);
    await assertSnsRefused(sns.publish({ TopicArn, Message, MessageAttributes }), "InvalidParameter", tooLong);
    const half = "m".repeat(LIMIT / 2 + 1);
    const entries = ["a", "b"].map((Id) => ({ Id, Message: half }));
    await assertSnsRefused(
      sns.publishBatch({ TopicArn, PublishBatchRequestEntries: entries }),
      "BatchRequestTooLong",
      "The length of all the messages put together is more than the limit.",
    );
  });

  scenario("a JSON message has a text for everybody (C049)", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const noDefault = "Invalid parameter: Message Structure - No default entry in JSON message body";
    const notJson = "Invalid parameter: Message Structure - JSON message body failed to parse";
    for (const [Message, text] of [
      ['{"sqs":"s"}', noDefault],
      ['{"default":{"a":1}}', noDefault],
      ["[]", noDefault],
      ["no json at all", notJson],
    ] as const) {
      const message = { Message, MessageStructure: "json" };
      await assertSnsRefused(sns.publish({ TopicArn, ...message }), "InvalidParameter", text);
      const PublishBatchRequestEntries = [
        { Id: "good", Message: "m" },
        { Id: "bad", ...message },
      ];
      await assertSnsRefused(sns.publishBatch({ TopicArn, PublishBatchRequestEntries }), "InvalidParameter", text);
    }
  });

  scenario("message attributes have names, types and values", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const refused = (name: string, value: MessageAttributeValue, text: string, code = "ParameterValueInvalid") =>
      assertSnsRefused(sns.publish({ TopicArn, Message: "m", MessageAttributes: { [name]: value } }), code, text);
    const good = { DataType: "String", StringValue: "v" };
    const empty = (type: string) =>
      `The message attribute 'a' must contain non-empty message attribute value for message attribute type '${type}'.`;
    await refused("a", { DataType: "String" }, empty("String"));
    await refused("a", { DataType: "Binary", BinaryValue: new Uint8Array() }, empty("Binary"));
    await refused("a", { DataType: "String", StringValue: "" }, empty("String"));
    await refused(
      "a",
      { DataType: "Number", BinaryValue: Buffer.from("1") },
      "The message attribute 'a' with type 'Number' must use field 'String'.",
    );
    await refused(
      "a",
      { DataType: "Binary", StringValue: "1" },
      "The message attribute 'a' with type 'Binary' must use field 'Binary'.",
    );
    for (const DataType of ["String.", "Stringfoo", "Text"]) {
      await refused(
        "a",
        { ...good, DataType },
        "The message attribute 'a' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.",
      );
    }
    await refused("n".repeat(257), good, "Length of message attribute name must be less than 256 bytes.");
    await refused(
      "a^b",
      good,
      "Invalid non-alphanumeric character '#x5E' was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots.",
    );
    await refused(".a", good, "Invalid message attribute name starting with character '.' was found.");
    await refused("a.", good, "Invalid message attribute name ending with character '.' was found.");
    await refused("a..b", good, "Message attribute name can not have successive '.' character.");
    const nullAt = (place: string) =>
      `1 validation error detected: Value null at '${place}' failed to satisfy constraint: Member must not be null`;
    const untyped = { StringValue: "v" } as MessageAttributeValue;
    await refused("a", untyped, nullAt("messageAttributes.a.member.dataType"), "ValidationError");
    await assertSnsRefused(
      sns.publishBatch({
        TopicArn,
        PublishBatchRequestEntries: [{ Id: "e", Message: "m", MessageAttributes: { a: untyped } }],
      }),
      "ValidationError",
      nullAt("publishBatchRequestEntries.1.member.messageAttributes.a.member.dataType"),
    );
  });

  scenario("a batch has one to ten entries with ids of their own", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName("-t") });
    const batch = (...ids: string[]) =>
      sns.publishBatch({ TopicArn, PublishBatchRequestEntries: ids.map((Id) => ({ Id, Message: "m" })) });
    await assertSnsRefused(batch(), "EmptyBatchRequest");
    await assertSnsRefused(
      batch(...Array.from({ length: 11 }, (_, n) => `e${n}`)),
      "TooManyEntriesInBatchRequest",
      "The batch request contains more entries than permissible.",
    );
    await assertSnsRefused(
      batch("a", "a"),
      "BatchEntryIdsNotDistinct",
      "Two or more batch entries in the request have the same Id.",
    );
    await assertSnsRefused(
      batch("a b"),
      "InvalidBatchEntryId",
      "The Id of a batch entry in the batch request contains an impermissible character: a b",
    );
    const long = "i".repeat(81);
    await assertSnsRefused(
      batch(long),
      "InvalidBatchEntryId",
      `The Id of a batch entry in the batch request is too long: ${long}`,
    );
  });

  scenario("group and deduplication ids are short and visible", async (world) => {
    const sns = snsOf(world);
    const { TopicArn } = await sns.createTopic({ Name: freshName(".fifo"), Attributes: { FifoTopic: "true" } });
    for (const id of ["g".repeat(129), "a b", ""]) {
      const publish = sns.publish({ TopicArn, Message: "m", MessageGroupId: id, MessageDeduplicationId: "d" });
      await assertSnsRefused(publish, "InvalidParameter", /MessageGroupId/);
    }
    assert.ok(TopicArn);
  });
});
