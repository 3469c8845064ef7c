// Publish: one message to a topic, or a text message to a phone number.

import { refuse } from "../../base/result.ts";
import { PUBLISH_BYTES_MAX } from "../../engine/limits.ts";
import type { Call } from "../protocol/call.ts";
import { askOne } from "../protocol/operation.ts";
import { topicOf } from "./arn.ts";
import { isPhoneNumber } from "./endpoint.ts";
import { ask, operation } from "./operation.ts";
import { readMessage } from "./publish-entry.ts";
import { invalid, noValue } from "./refusals.ts";

export const publish = operation("Publish", (input, call) => {
  const { TopicArn, TargetArn, PhoneNumber } = input;
  const destinations = [TopicArn, TargetArn, PhoneNumber].filter((given) => given !== undefined && given !== "");
  if (destinations.length === 0) return refuse(noValue("TopicArn or TargetArn"));
  if (destinations.length > 1) {
    return refuse(invalid("Only one of TopicArn, TargetArn and PhoneNumber can be a message's destination"));
  }
  if (PhoneNumber && !isPhoneNumber(PhoneNumber)) {
    return refuse(invalid(`PhoneNumber Reason: ${PhoneNumber} is not valid to publish to`));
  }
  const message = readMessage(input, call);
  if (!message.ok) return message;
  if (message.value.sizeBytes > PUBLISH_BYTES_MAX) return refuse(invalid("Message too long"));
  const { entry } = message.value;
  if (PhoneNumber) {
    const text = entry.messages.sms ?? entry.messages.default;
    return ask({ kind: "sendSms", phoneNumber: PhoneNumber, text }, ({ messageId }) => ({ MessageId: messageId }));
  }
  const topic = TopicArn ? topicOf(TopicArn, call) : targetOf(TargetArn as string, call);
  if (!topic.ok) return topic;
  return askOne({ kind: "publish", topic: topic.value, entries: [entry] }, ({ messageId, sequenceNumber }) => ({
    MessageId: messageId,
    SequenceNumber: sequenceNumber,
  }));
});

/** A topic's ARN does here too; a mobile endpoint's never leads anywhere. */
function targetOf(arn: string, call: Call) {
  if (/^arn:[^:]*:sns:[^:]*:[^:]*:endpoint\//.test(arn)) {
    return refuse(invalid("TargetArn Reason: No endpoint found for the target arn specified"));
  }
  return topicOf(arn, call, "TargetArn");
}
