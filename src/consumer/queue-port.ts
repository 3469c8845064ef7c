// What the toolkit needs of a queue service: seven calls. The adapter for the AWS SDK is in aws-client.ts; anything
// else that has these methods will do. All entries of a call belong to one queue and are at most ten; callers see to
// that. Calls reject when the whole call failed; failed entries are answers.

/** A message attribute as SQS has it. */
export interface RawAttribute {
  DataType?: string | undefined;
  StringValue?: string | undefined;
  BinaryValue?: Uint8Array | undefined;
}

/** A message as SQS's ReceiveMessage answers it. */
export interface RawMessage {
  MessageId?: string | undefined;
  ReceiptHandle?: string | undefined;
  Body?: string | undefined;
  /** System attributes. */
  Attributes?: Record<string, string> | undefined;
  MessageAttributes?: Record<string, RawAttribute> | undefined;
}

export interface ReceiveRequest {
  queueUrl: string;
  messagesMax: number;
  waitSeconds: number;
  /** The queue's own when absent. */
  visibilityTimeoutSeconds?: number;
  /** FIFO: the same one again gets the same messages again, when the answer to the first was lost. */
  attemptId?: string;
}

export interface SendEntry {
  id: string;
  body: string;
  attributes?: Record<string, RawAttribute>;
  delaySeconds?: number;
  groupId?: string;
  deduplicationId?: string;
  /** The `AWSTraceHeader` system attribute. */
  traceHeader?: string;
}

export interface SentEntry {
  id: string;
  messageId: string;
  sequenceNumber?: string;
}

export interface FailedEntry {
  id: string;
  code: string;
  message?: string;
  /** True when asking again would fail again. */
  isSenderFault: boolean;
}

export interface QueueAttributes {
  arn: string;
  isFifo: boolean;
  visibilityTimeoutMs: number;
  messageBytesMax: number;
  /** From the redrive policy; absent when there is none. */
  maxReceiveCount?: number;
  deadLetterArn?: string;
}

export interface QueuePort {
  receive(request: ReceiveRequest, signal?: AbortSignal): Promise<RawMessage[]>;
  deleteMessages(queueUrl: string, entries: { id: string; receipt: string }[]): Promise<FailedEntry[]>;
  changeVisibility(
    queueUrl: string,
    entries: { id: string; receipt: string; timeoutSeconds: number }[],
  ): Promise<FailedEntry[]>;
  send(queueUrl: string, entries: SendEntry[]): Promise<{ sent: SentEntry[]; failed: FailedEntry[] }>;
  queueUrl(name: string, account?: string): Promise<string>;
  describe(queueUrl: string): Promise<QueueAttributes>;
  /** What a second thread needs to make such a client itself; absent when that cannot be done. */
  connection?(): Promise<ClientConnection>;
}

/** Enough to talk to the same service with the same rights from a worker thread. */
export interface ClientConnection {
  region: string;
  endpoint?: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** When the credentials end, milliseconds since 1970. */
  credentialsExpireAtMs?: number;
}
