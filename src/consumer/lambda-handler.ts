// Runs a Lambda handler for SQS events as a batch handler: the same event, the same partial batch response.

import type { BatchHandler, Delivery } from "./delivery.ts";
import type { RawAttribute } from "./queue-port.ts";

/** A record of Lambda's SQS event. */
export interface SqsRecord {
  /** SQS's message id: what a `batchItemFailures` entry names. */
  messageId: string;
  /** Of this delivery. */
  receiptHandle: string;
  /** As text; for a large message, after it was fetched. */
  body: string;
  /** System attributes, such as `ApproximateReceiveCount`. */
  attributes: Record<string, string>;
  /** Attributes that the producer gave; `binaryValue` is base64. */
  messageAttributes: Record<
    string,
    { dataType: string; stringValue?: string; binaryValue?: string; stringListValues: []; binaryListValues: [] }
  >;
  md5OfBody: string;
  eventSource: "aws:sqs";
  /** The queue's ARN, as `queueArn` said. */
  eventSourceARN: string;
  /** The region in that ARN. */
  awsRegion: string;
}

export interface LambdaContext {
  /** The id of the first message of the batch. */
  awsRequestId: string;
  /** As in the options. */
  functionName: string;
  /** Until the messages come back if nobody extends them, milliseconds; at least 0. */
  getRemainingTimeInMillis(): number;
  /** Not in Lambda: aborted when the messages are no longer ours. */
  signal: AbortSignal;
}

export interface LambdaHandlerOptions {
  /** `eventSourceARN` of the records. */
  queueArn: string;
  /** What `context.functionName` says. Default `function`. */
  functionName?: string;
}

/**
 * For `consume({ batchHandler: fromLambda(handler, …), decode: "text" })`. As with an event source mapping, what the
 * handler throws returns the whole batch, and `batchItemFailures` returns some of it.
 */
export function fromLambda(
  handler: (event: { Records: SqsRecord[] }, context: LambdaContext) => unknown,
  options: LambdaHandlerOptions,
): BatchHandler {
  const { queueArn, functionName = "function" } = options;
  const awsRegion = queueArn.split(":")[3] ?? "";
  return (messages, context) =>
    handler(
      { Records: messages.map((message) => recordOf(message, queueArn, awsRegion)) },
      {
        awsRequestId: messages[0]?.id ?? "",
        functionName,
        getRemainingTimeInMillis: () => Math.max(0, context.deadline().getTime() - Date.now()),
        signal: context.signal,
      },
    );
}

function recordOf({ id, text, raw }: Delivery, eventSourceARN: string, awsRegion: string): SqsRecord {
  return {
    messageId: id,
    receiptHandle: raw.ReceiptHandle ?? "",
    body: text,
    attributes: { ...raw.Attributes },
    messageAttributes: Object.fromEntries(
      Object.entries(raw.MessageAttributes ?? {}).map(([name, attribute]) => [name, attributeOf(attribute)]),
    ),
    md5OfBody: (raw as { MD5OfBody?: string }).MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion,
  };
}

function attributeOf({ DataType, StringValue, BinaryValue }: RawAttribute): SqsRecord["messageAttributes"][string] {
  return {
    dataType: DataType ?? "String",
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
    stringListValues: [],
    binaryListValues: [],
  };
}
