import assert from "node:assert/strict";
import test from "node:test";
import { functionEventText } from "./function-event.ts";

const publication = {
  messageId: "00000000-0000-4000-8000-000000000001",
  topicArn: "arn:aws:sns:us-east-1:000000000000:pond",
  publishedAtMs: Date.UTC(2026, 0, 31, 9),
  messages: { default: "hello", lambda: "croak" },
  attributes: [],
};
const subscriptionArn = `${publication.topicArn}:1`;

test("a function sees a notification's fields, and what is absent as null or empty", () => {
  const text = functionEventText({ publication, subscriptionArn }, "http://localhost:1", undefined);
  const [record] = JSON.parse(text).Records;
  assert.deepEqual(Object.keys(record), ["EventSource", "EventVersion", "EventSubscriptionArn", "Sns"]);
  assert.deepEqual(record.Sns, {
    Type: "Notification",
    MessageId: publication.messageId,
    TopicArn: publication.topicArn,
    Subject: null,
    Message: "croak",
    Timestamp: "2026-01-31T09:00:00.000Z",
    SignatureVersion: "1",
    Signature: "",
    SigningCertUrl: "",
    UnsubscribeUrl: `http://localhost:1/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}`,
    MessageAttributes: {},
  });
});

test("attributes keep their types, and binary ones are base64", () => {
  const attributes = [
    { name: "n", dataType: "Number", value: "1" },
    { name: "b", dataType: "Binary", value: Buffer.from([255]) },
  ];
  const signature = { version: "1" as const, value: "c2ln", certUrl: "http://localhost:1/cert.pem" };
  const copy = { publication: { ...publication, subject: "frogs", attributes }, subscriptionArn };
  const { Sns } = JSON.parse(functionEventText(copy, "http://localhost:1", signature)).Records[0];
  assert.equal(Sns.Subject, "frogs");
  assert.equal(Sns.Signature, "c2ln");
  assert.equal(Sns.SigningCertUrl, "http://localhost:1/cert.pem");
  assert.deepEqual(Sns.MessageAttributes, { n: { Type: "Number", Value: "1" }, b: { Type: "Binary", Value: "/w==" } });
});
