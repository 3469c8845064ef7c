// A queue with the calls that scenarios make most, in few words.

import assert from "node:assert/strict";
import type {
  Message,
  QueueAttributeName,
  ReceiveMessageCommandInput,
  SendMessageBatchRequestEntry,
  SendMessageCommandInput,
} from "@aws-sdk/client-sqs";
import type { Sqs } from "./sqs-client.ts";

type SendOptions = Omit<SendMessageCommandInput, "QueueUrl" | "MessageBody">;
type ReceiveOptions = Omit<ReceiveMessageCommandInput, "QueueUrl">;

export class ScenarioQueue {
  readonly sqs: Sqs;
  readonly name: string;
  readonly url: string;

  constructor(sqs: Sqs, name: string, url: string) {
    this.sqs = sqs;
    this.name = name;
    this.url = url;
  }

  get arn(): string {
    return `arn:aws:sqs:us-east-1:000000000000:${this.name}`;
  }

  send(body: string, options: SendOptions = {}) {
    return this.sqs.sendMessage({ QueueUrl: this.url, MessageBody: body, ...options });
  }

  /** To a FIFO queue. */
  sendTo(group: string, body: string, options: SendOptions = {}) {
    return this.send(body, { MessageGroupId: group, ...options });
  }

  sendBatch(entries: SendMessageBatchRequestEntry[] | undefined) {
    return this.sqs.sendMessageBatch({ QueueUrl: this.url, Entries: entries });
  }

  /** Up to ten, without attributes unless asked for. */
  async receive(options: ReceiveOptions = {}): Promise<Message[]> {
    const output = await this.sqs.receiveMessage({ QueueUrl: this.url, MaxNumberOfMessages: 10, ...options });
    return output.Messages ?? [];
  }

  /** The one message that there is, with all its attributes. */
  async receiveOne(options: ReceiveOptions = {}): Promise<Message & { ReceiptHandle: string }> {
    const messages = await this.receive({
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
      ...options,
    });
    assert.equal(messages.length, 1, "one message is expected");
    return messages[0] as Message & { ReceiptHandle: string };
  }

  async receiveBodies(options: ReceiveOptions = {}): Promise<string[]> {
    return (await this.receive(options)).map(({ Body = "" }) => Body);
  }

  delete(message: { ReceiptHandle?: string | undefined }) {
    return this.sqs.deleteMessage({ QueueUrl: this.url, ReceiptHandle: message.ReceiptHandle });
  }

  hide(message: { ReceiptHandle?: string | undefined }, seconds: number) {
    return this.sqs.changeMessageVisibility({
      QueueUrl: this.url,
      ReceiptHandle: message.ReceiptHandle,
      VisibilityTimeout: seconds,
    });
  }

  set(attributes: Record<string, string>) {
    return this.sqs.setQueueAttributes({ QueueUrl: this.url, Attributes: attributes });
  }

  async attributes(...names: QueueAttributeName[]): Promise<Record<string, string> | undefined> {
    const wanted = names.length === 0 ? (["All"] as QueueAttributeName[]) : names;
    const output = await this.sqs.getQueueAttributes({ QueueUrl: this.url, AttributeNames: wanted });
    return output.Attributes as Record<string, string> | undefined;
  }

  async attribute(name: QueueAttributeName): Promise<string | undefined> {
    return (await this.attributes(name))?.[name];
  }

  /** `visible/in flight/delayed` */
  async counts(): Promise<string> {
    const attributes = await this.attributes();
    const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible, ApproximateNumberOfMessagesDelayed } =
      attributes ?? {};
    return [
      ApproximateNumberOfMessages,
      ApproximateNumberOfMessagesNotVisible,
      ApproximateNumberOfMessagesDelayed,
    ].join("/");
  }
}
