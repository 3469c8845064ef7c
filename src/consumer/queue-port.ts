// What the toolkit needs of a queue service: seven calls. The adapter for the AWS SDK is in aws-client.ts; anything
// else that has these methods will do. All entries of a call belong to one queue and are at most ten; callers see to
// that. Calls reject when the whole call failed; failed entries are answers.

/** A message attribute as SQS has it. */
export interface RawAttribute {
  /** `String`, `Number` or `Binary`, perhaps with a label of one's own: `Number.cents`. */
  DataType?: string | undefined;
  /** Texts and numbers. */
  StringValue?: string | undefined;
  /** Bytes, not base64. */
  BinaryValue?: Uint8Array | undefined;
}

/** A message as SQS's ReceiveMessage answers it. */
export interface RawMessage {
  /** The same at each delivery. */
  MessageId?: string | undefined;
  /** Of this delivery: what deletes it and changes its visibility timeout. */
  ReceiptHandle?: string | undefined;
  /** As it was sent. */
  Body?: string | undefined;
  /** System attributes. */
  Attributes?: Record<string, string> | undefined;
  /** What the producer gave. */
  MessageAttributes?: Record<string, RawAttribute> | undefined;
}

export interface ReceiveRequest {
  /** Which queue. */
  queueUrl: string;
  /** 1 to 10. */
  messagesMax: number;
  /** Long polling, whole seconds, 0 to 20. */
  waitSeconds: number;
  /** The queue's own when absent. */
  visibilityTimeoutSeconds?: number;
  /** FIFO: the same one again gets the same messages again, when the answer to the first was lost. */
  attemptId?: string;
}

export interface SendEntry {
  /** Tells the entries of one call apart. */
  id: string;
  /** The text to send. */
  body: string;
  /** At most ten. */
  attributes?: Record<string, RawAttribute>;
  /** Whole seconds, 0 to 900. The queue's own when absent. */
  delaySeconds?: number;
  /** FIFO and fair queues. */
  groupId?: string;
  /** FIFO; absent where the queue takes the body for it. */
  deduplicationId?: string;
  /** The `AWSTraceHeader` system attribute. */
  traceHeader?: string;
}

export interface SentEntry {
  /** The entry's. */
  id: string;
  /** What the queue calls it from now on. */
  messageId: string;
  /** FIFO. */
  sequenceNumber?: string;
}

export interface FailedEntry {
  /** The entry's. */
  id: string;
  /** SQS's error code. */
  code: string;
  /** SQS's words. */
  message?: string;
  /** True when asking again would fail again. */
  isSenderFault: boolean;
}

export interface QueueAttributes {
  /** The queue's ARN. */
  arn: string;
  /** Whether its name ends in `.fifo`. */
  isFifo: boolean;
  /** Milliseconds; the queue's own. */
  visibilityTimeoutMs: number;
  /** The most bytes that body and attributes of one message may have. */
  messageBytesMax: number;
  /** From the redrive policy; absent when there is none. */
  maxReceiveCount?: number;
  /** From the redrive policy; absent when there is none. */
  deadLetterArn?: string;
}

export interface QueuePort {
  /** Messages, or none when nothing came in `waitSeconds`. Rejects when `signal` is aborted. */
  receive(request: ReceiveRequest, signal?: AbortSignal): Promise<RawMessage[]>;
  /** Answers the entries that were not deleted. */
  deleteMessages(queueUrl: string, entries: { id: string; receipt: string }[]): Promise<FailedEntry[]>;
  /** Answers the entries that were not changed. `timeoutSeconds`: whole seconds from now; 0 gives the message back. */
  changeVisibility(
    queueUrl: string,
    entries: { id: string; receipt: string; timeoutSeconds: number }[],
  ): Promise<FailedEntry[]>;
  /** Every entry is in one list of the answer. */
  send(queueUrl: string, entries: SendEntry[]): Promise<{ sent: SentEntry[]; failed: FailedEntry[] }>;
  /** Rejects when there is no such queue. `account` is for another one's queue. */
  queueUrl(name: string, account?: string): Promise<string>;
  /** Rejects when there is no such queue, or its attributes may not be read. */
  describe(queueUrl: string): Promise<QueueAttributes>;
  /** What a second thread needs to make such a client itself; absent when that cannot be done. */
  connection?(): Promise<ClientConnection>;
}

/** Enough to talk to the same service with the same rights from a worker thread. */
export interface ClientConnection {
  /** AWS's region. */
  region: string;
  /** Absent: AWS's own. */
  endpoint?: string;
  /** As they are at this moment. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** When the credentials end, milliseconds since 1970. */
  credentialsExpireAtMs?: number;
}
