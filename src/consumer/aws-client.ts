// The AWS SDK behind the QueuePort. This is the one file that knows the package `@aws-sdk/client-sqs`, an optional
// peer, and loads it only when a client of it is used.

import type { ClientConnection, FailedEntry, QueueAttributes, QueuePort, RawMessage } from "./queue-port.ts";

/** An SQSClient, seen from here: anything that sends the SDK's commands. */
export interface SdkClient {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK overloads `send` for every command
  send(command: any, options?: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: settings differ between versions; see `connection`
  config?: any;
}

type Sdk = typeof import("@aws-sdk/client-sqs");

let sdk: Promise<Sdk> | undefined;

function loadSdk(): Promise<Sdk> {
  sdk ??= import("@aws-sdk/client-sqs").catch((error: unknown) => {
    sdk = undefined;
    throw new Error("millpond/consumer was given an AWS SDK client: install @aws-sdk/client-sqs beside it.", {
      cause: error,
    });
  });
  return sdk;
}

export function awsQueue(client: SdkClient): QueuePort {
  return {
    async receive(request, signal) {
      const { ReceiveMessageCommand } = await loadSdk();
      const input = {
        QueueUrl: request.queueUrl,
        MaxNumberOfMessages: request.messagesMax,
        WaitTimeSeconds: request.waitSeconds,
        VisibilityTimeout: request.visibilityTimeoutSeconds,
        ReceiveRequestAttemptId: request.attemptId,
        // Both spellings: older servers and SDKs know only the first.
        AttributeNames: ["All" as const],
        MessageSystemAttributeNames: ["All" as const],
        MessageAttributeNames: ["All"],
      };
      const answer = await client.send(new ReceiveMessageCommand(input), signal ? { abortSignal: signal } : undefined);
      return (answer.Messages ?? []) as RawMessage[];
    },

    async deleteMessages(queueUrl, entries) {
      const { DeleteMessageBatchCommand } = await loadSdk();
      const Entries = entries.map(({ id, receipt }) => ({ Id: id, ReceiptHandle: receipt }));
      const answer = await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return failedEntries(answer.Failed);
    },

    async changeVisibility(queueUrl, entries) {
      const { ChangeMessageVisibilityBatchCommand } = await loadSdk();
      const Entries = entries.map(({ id, receipt, timeoutSeconds }) => ({
        Id: id,
        ReceiptHandle: receipt,
        VisibilityTimeout: timeoutSeconds,
      }));
      const answer = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
      return failedEntries(answer.Failed);
    },

    async send(queueUrl, entries) {
      const { SendMessageBatchCommand } = await loadSdk();
      const Entries = entries.map((entry) => ({
        Id: entry.id,
        MessageBody: entry.body,
        MessageAttributes: entry.attributes as never,
        DelaySeconds: entry.delaySeconds,
        MessageGroupId: entry.groupId,
        MessageDeduplicationId: entry.deduplicationId,
        MessageSystemAttributes:
          entry.traceHeader === undefined
            ? undefined
            : { AWSTraceHeader: { DataType: "String", StringValue: entry.traceHeader } },
      }));
      const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      const sent = (answer.Successful ?? []) as { Id: string; MessageId: string; SequenceNumber?: string }[];
      return {
        sent: sent.map(({ Id, MessageId, SequenceNumber }) => ({
          id: Id,
          messageId: MessageId,
          ...(SequenceNumber === undefined ? {} : { sequenceNumber: SequenceNumber }),
        })),
        failed: failedEntries(answer.Failed),
      };
    },

    async queueUrl(name, account) {
      const { GetQueueUrlCommand } = await loadSdk();
      const answer = await client.send(new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }));
      return answer.QueueUrl as string;
    },

    async describe(queueUrl) {
      const { GetQueueAttributesCommand } = await loadSdk();
      const answer = await client.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["All"] }));
      return queueAttributes(answer.Attributes ?? {});
    },

    connection: () => connectionOf(client),
  };
}

function failedEntries(
  failed: { Id: string; Code: string; Message?: string; SenderFault: boolean }[] | undefined,
): FailedEntry[] {
  return (failed ?? []).map(({ Id, Code, Message, SenderFault }) => ({
    id: Id,
    code: Code,
    isSenderFault: SenderFault === true,
    ...(Message === undefined ? {} : { message: Message }),
  }));
}

function queueAttributes(attributes: Record<string, string>): QueueAttributes {
  const redrive = JSON.parse(attributes["RedrivePolicy"] ?? "{}") as {
    maxReceiveCount?: number | string;
    deadLetterTargetArn?: string;
  };
  return {
    arn: attributes["QueueArn"] ?? "",
    isFifo: attributes["FifoQueue"] === "true",
    visibilityTimeoutMs: Number(attributes["VisibilityTimeout"] ?? 30) * 1000,
    messageBytesMax: Number(attributes["MaximumMessageSize"] ?? 1_048_576),
    ...(redrive.maxReceiveCount === undefined ? {} : { maxReceiveCount: Number(redrive.maxReceiveCount) }),
    ...(redrive.deadLetterTargetArn === undefined ? {} : { deadLetterArn: redrive.deadLetterTargetArn }),
  };
}

/** For the heartbeat's own thread: what this client resolved its settings to. */
async function connectionOf(client: SdkClient): Promise<ClientConnection> {
  const { config } = client;
  const [region, credentials, endpoint] = await Promise.all([
    config.region(),
    config.credentials(),
    config.endpoint?.() as
      | Promise<{ protocol: string; hostname: string; port?: number; path: string } | undefined>
      | undefined,
  ]);
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = credentials;
  return {
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...(expiration === undefined ? {} : { credentialsExpireAtMs: Number(expiration) }),
    ...(endpoint === undefined
      ? {}
      : {
          endpoint: `${endpoint.protocol}//${endpoint.hostname}${endpoint.port ? `:${endpoint.port}` : ""}${endpoint.path}`,
        }),
  };
}

/** A new client from what `connection` gave. */
export async function connectQueue(connection: ClientConnection): Promise<QueuePort> {
  const { SQSClient } = await loadSdk();
  const { region, endpoint, credentials } = connection;
  return awsQueue(new SQSClient({ region, credentials, ...(endpoint === undefined ? {} : { endpoint }) }));
}
