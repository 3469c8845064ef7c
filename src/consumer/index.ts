// The consumer toolkit's door: `import { consume } from "millpond/consumer"`. It needs nothing of the server and works
// against AWS SQS as it does against Millpond.

export type { Clock, TimerHandle } from "../base/clock.ts";
export type { SdkClient } from "./aws-client.ts";
export { awsQueue } from "./aws-client.ts";
export type { BreakerOptions } from "./breaker.ts";
export type { LargePayloadOptions } from "./claim-check.ts";
export type { Consumer, StopOptions, StopReport } from "./consumer.ts";
export { consume } from "./consumer.ts";
export type { Decode } from "./decode.ts";
export type {
  BatchContext,
  BatchHandler,
  Context,
  Delivery,
  Envelope,
  EventEnvelope,
  Handler,
  SnsEnvelope,
  TraceContext,
} from "./delivery.ts";
export type { Duration } from "./duration.ts";
export { ConsumerStopped, HandlerTimedOut, HeldTooLong, InvalidMessage, MessageLost } from "./errors.ts";
export type { ConsumerEvents } from "./events.ts";
export type { LambdaContext, LambdaHandlerOptions, SqsRecord } from "./lambda-handler.ts";
export { fromLambda } from "./lambda-handler.ts";
export type { ObjectStore, S3Parts } from "./object-store.ts";
export { s3ObjectStore } from "./object-store.ts";
export type { ConsumeOptions, HeartbeatOptions } from "./options.ts";
export type { Outgoing, Producer, ProducerOptions, SendFailure, SendReport } from "./producer.ts";
export { producer } from "./producer.ts";
export type {
  ClientConnection,
  FailedEntry,
  QueueAttributes,
  QueuePort,
  RawAttribute,
  RawMessage,
  ReceiveRequest,
  SendEntry,
  SentEntry,
} from "./queue-port.ts";
export type { RateLimitOptions } from "./rate-limit.ts";
export type { RetryOptions } from "./retry.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
export type { ConsumerStats } from "./stats.ts";
export { currentTrace } from "./trace.ts";
export type { Verdict } from "./verdict.ts";
export { discard, reject, retryIn } from "./verdict.ts";
