// The consumer toolkit's door: `import { consume } from "millpond/consumer"`. It needs nothing of the server and works
// against AWS SQS as it does against Millpond.

export type { Clock, TimerHandle } from "../base/clock.ts";
export type { SdkClient } from "./aws-client.ts";
export { awsQueue } from "./aws-client.ts";
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
export type { Verdict } from "./verdict.ts";
export { discard, reject, retryIn } from "./verdict.ts";
