// One face for two generations of the AWS SDK: the current one speaks JSON, the older one Query. Scenarios are
// written against this face, so that both protocols have to behave alike. Refusals arrive as SqsError with the code
// that Query clients know, whatever the SDK made of them; outputs arrive without the SDK's own metadata.

import type * as Api from "@aws-sdk/client-sqs";

export type Protocol = "json" | "query";

export interface Sqs {
  addPermission(input: Api.AddPermissionCommandInput): Promise<Output<Api.AddPermissionCommandOutput>>;
  cancelMessageMoveTask(
    input: Api.CancelMessageMoveTaskCommandInput,
  ): Promise<Output<Api.CancelMessageMoveTaskCommandOutput>>;
  changeMessageVisibility(
    input: Api.ChangeMessageVisibilityCommandInput,
  ): Promise<Output<Api.ChangeMessageVisibilityCommandOutput>>;
  changeMessageVisibilityBatch(
    input: Api.ChangeMessageVisibilityBatchCommandInput,
  ): Promise<Output<Api.ChangeMessageVisibilityBatchCommandOutput>>;
  createQueue(input: Api.CreateQueueCommandInput): Promise<Output<Api.CreateQueueCommandOutput>>;
  deleteMessage(input: Api.DeleteMessageCommandInput): Promise<Output<Api.DeleteMessageCommandOutput>>;
  deleteMessageBatch(input: Api.DeleteMessageBatchCommandInput): Promise<Output<Api.DeleteMessageBatchCommandOutput>>;
  deleteQueue(input: Api.DeleteQueueCommandInput): Promise<Output<Api.DeleteQueueCommandOutput>>;
  getQueueAttributes(input: Api.GetQueueAttributesCommandInput): Promise<Output<Api.GetQueueAttributesCommandOutput>>;
  getQueueUrl(input: Api.GetQueueUrlCommandInput): Promise<Output<Api.GetQueueUrlCommandOutput>>;
  listDeadLetterSourceQueues(
    input: Api.ListDeadLetterSourceQueuesCommandInput,
  ): Promise<Output<Api.ListDeadLetterSourceQueuesCommandOutput>>;
  listMessageMoveTasks(
    input: Api.ListMessageMoveTasksCommandInput,
  ): Promise<Output<Api.ListMessageMoveTasksCommandOutput>>;
  listQueues(input: Api.ListQueuesCommandInput): Promise<Output<Api.ListQueuesCommandOutput>>;
  listQueueTags(input: Api.ListQueueTagsCommandInput): Promise<Output<Api.ListQueueTagsCommandOutput>>;
  purgeQueue(input: Api.PurgeQueueCommandInput): Promise<Output<Api.PurgeQueueCommandOutput>>;
  receiveMessage(input: Api.ReceiveMessageCommandInput): Promise<Output<Api.ReceiveMessageCommandOutput>>;
  removePermission(input: Api.RemovePermissionCommandInput): Promise<Output<Api.RemovePermissionCommandOutput>>;
  sendMessage(input: Api.SendMessageCommandInput): Promise<Output<Api.SendMessageCommandOutput>>;
  sendMessageBatch(input: Api.SendMessageBatchCommandInput): Promise<Output<Api.SendMessageBatchCommandOutput>>;
  setQueueAttributes(input: Api.SetQueueAttributesCommandInput): Promise<Output<Api.SetQueueAttributesCommandOutput>>;
  startMessageMoveTask(
    input: Api.StartMessageMoveTaskCommandInput,
  ): Promise<Output<Api.StartMessageMoveTaskCommandOutput>>;
  tagQueue(input: Api.TagQueueCommandInput): Promise<Output<Api.TagQueueCommandOutput>>;
  untagQueue(input: Api.UntagQueueCommandInput): Promise<Output<Api.UntagQueueCommandOutput>>;
  close(): void;
}

type Output<Full> = Omit<Full, "$metadata">;
type Method = (input: object) => Promise<Record<string, unknown>>;

const METHODS = [
  "addPermission",
  "cancelMessageMoveTask",
  "changeMessageVisibility",
  "changeMessageVisibilityBatch",
  "createQueue",
  "deleteMessage",
  "deleteMessageBatch",
  "deleteQueue",
  "getQueueAttributes",
  "getQueueUrl",
  "listDeadLetterSourceQueues",
  "listMessageMoveTasks",
  "listQueues",
  "listQueueTags",
  "purgeQueue",
  "receiveMessage",
  "removePermission",
  "sendMessage",
  "sendMessageBatch",
  "setQueueAttributes",
  "startMessageMoveTask",
  "tagQueue",
  "untagQueue",
] as const satisfies readonly (keyof Sqs)[];

/** A refusal as both SDKs saw it. */
export class SqsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Loads only the SDK that is needed: each takes a good part of a second. */
export async function sqsClient(protocol: Protocol, endpoint: string): Promise<Sqs> {
  const config = {
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    // A retry would hide what the server answered first.
    maxAttempts: 1,
  };
  const client =
    protocol === "json"
      ? new (await import("@aws-sdk/client-sqs")).SQS(config)
      : new (await import("client-sqs-query")).SQS(config);
  const methods = client as unknown as Record<string, Method>;
  const sqs: Record<string, unknown> = { close: () => client.destroy() };
  for (const name of METHODS) {
    sqs[name] = async (input: object) => {
      const given = protocol === "query" && name === "receiveMessage" ? inOlderWords(input) : input;
      try {
        const { $metadata, ...output } = await (methods[name] as Method).call(client, given);
        return output;
      } catch (error) {
        throw asSqsError(error);
      }
    };
  }
  return sqs as unknown as Sqs;
}

/** The older SDK knows system attributes of messages by one name only. */
function inOlderWords(input: Api.ReceiveMessageCommandInput | object): object {
  const { MessageSystemAttributeNames: names, ...rest } = input as Api.ReceiveMessageCommandInput;
  return names === undefined ? rest : { ...rest, AttributeNames: [...(rest.AttributeNames ?? []), ...names] };
}

/** For any of AWS's SDKs: code and text as they were on the wire. */
export function asSqsError(error: unknown): unknown {
  const { name, message, Code, Error: inner, $metadata } = error as Record<string, unknown> & { name: string };
  const status = ($metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode;
  // Anything without a status never was an answer: a bug in the test or a broken connection.
  if (status === undefined) return error;
  const body = inner as { Code?: string; Message?: string } | undefined;
  return new SqsError(body?.Code ?? (Code as string | undefined) ?? name, body?.Message ?? String(message), status);
}
