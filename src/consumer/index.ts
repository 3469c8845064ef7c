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
export type { AttributeValue, DynamoDb, TransactWriteItem } from "./idempotency/dynamodb-port.ts";
export { type DynamoDbStoreOptions, type DynamoDbTransaction, dynamoDbStore } from "./idempotency/dynamodb-store.ts";
export { dynamoDbTable, dynamoDbTimeToLive } from "./idempotency/dynamodb-table.ts";
export { bodyOf, fingerprintOf } from "./idempotency/fingerprint.ts";
export { type FetchHandler, idempotentFetch } from "./idempotency/http-fetch.ts";
export type { HttpAnswer, HttpIdempotencyOptions, HttpRequest } from "./idempotency/http-idempotency.ts";
export { idempotentNode, type NodeHandler, type NodeIdempotencyOptions } from "./idempotency/http-node.ts";
export { IdempotencyError, type IdempotencyErrorCode, isIdempotencyError } from "./idempotency/idempotency-error.ts";
export { type Attempt, type IdempotentOptions, idempotent } from "./idempotency/idempotent.ts";
export { KEEP_FOR_MS_DEFAULT, LEASE_MS_DEFAULT } from "./idempotency/lifetimes.ts";
export { type MemoryTransaction, memoryStore } from "./idempotency/memory-store.ts";
export { type MonotonicOptions, monotonic, type VersionAttempt } from "./idempotency/monotonic.ts";
export { type PostgresLeaseStoreOptions, postgresLeaseStore } from "./idempotency/postgres-lease-store.ts";
export {
  addToOutbox,
  type OutboxMessage,
  OutboxRelay,
  type OutboxRelayOptions,
} from "./idempotency/postgres-outbox.ts";
export type { PostgresClient, PostgresPool } from "./idempotency/postgres-port.ts";
export { type PostgresStoreOptions, postgresStore } from "./idempotency/postgres-store.ts";
export { postgresKeyTable, postgresOutboxTable } from "./idempotency/postgres-tables.ts";
export { type RedisStoreOptions, type RedisTransaction, redisStore } from "./idempotency/redis-store.ts";
export type {
  BeginRequest,
  Begun,
  BegunNewer,
  Claim,
  IdempotencyStore,
  NewerRequest,
  RecordId,
  VersionStore,
} from "./idempotency/store.ts";
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
export type {
  OtelApi,
  OtelAttributes,
  OtelContext,
  OtelCounter,
  OtelHistogram,
  OtelInstrumentOptions,
  OtelMeter,
  OtelSpan,
  OtelSpanContext,
  OtelSpanOptions,
  OtelTracer,
  OtelTraceState,
} from "./telemetry/otel-port.ts";
export type { Propagation, TelemetryOptions } from "./telemetry/telemetry-options.ts";
export { currentTrace } from "./trace.ts";
export type { Verdict } from "./verdict.ts";
export { discard, reject, retryIn } from "./verdict.ts";
