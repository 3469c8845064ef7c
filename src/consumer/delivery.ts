// What a handler is given: the message as decoded, and the context of this try.

import type { Duration } from "./duration.ts";
import type { RawMessage } from "./queue-port.ts";

/** One message in the hands of a handler. The same message delivered again is another Delivery with the same id. */
export interface Delivery<Body = unknown> {
  /** SQS's message id: the same at each redelivery, also after a redrive; another one when a producer sends again. */
  readonly id: string;
  /** Decoded and, when there is a schema, validated. */
  readonly body: Body;
  /** The body as text; for a large message, after it was fetched. */
  readonly text: string;
  /** How often the queue has handed the message out, this time included: 1 at first. */
  readonly attempt: number;
  /** FIFO and fair queues. */
  readonly groupId?: string;
  /** FIFO: given by the producer, or made of the body. */
  readonly deduplicationId?: string;
  /** FIFO: grows within a group; as text, since it has more digits than a number holds. */
  readonly sequenceNumber?: string;
  /** Milliseconds since 1970, by the queue's clock. */
  readonly sentAtMs?: number;
  /** Milliseconds since 1970, by the queue's clock: when it was first handed out. */
  readonly firstReceivedAtMs?: number;
  /** Message attributes: texts and numbers as text, binary ones as bytes. */
  readonly attributes: Readonly<Record<string, string | Uint8Array>>;
  /** What was around the body: an SNS notification or an EventBridge event without its payload. */
  readonly envelope?: Envelope;
  /** As the queue gave it. */
  readonly raw: RawMessage;
}

export type Envelope = SnsEnvelope | EventEnvelope;

export interface SnsEnvelope {
  readonly kind: "sns";
  /** The topic that it was published to. */
  readonly topicArn: string;
  /** SNS's id: the same in every queue that the topic fans out to. */
  readonly messageId: string;
  /** The subject that the publisher gave. */
  readonly subject?: string;
  /** When it was published, ISO 8601. */
  readonly timestamp: string;
  /** FIFO topics. */
  readonly sequenceNumber?: string;
  /** The notification's own message attributes. */
  readonly attributes: Readonly<Record<string, string | Uint8Array>>;
}

export interface EventEnvelope {
  readonly kind: "eventbridge";
  /** EventBridge's id: the same for every target. */
  readonly id: string;
  /** Who sent it, such as `aws.s3` or a name of one's own. */
  readonly source: string;
  /** What kind of event it is; the `detail-type` of rules. */
  readonly detailType: string;
  /** The account that it happened in. */
  readonly account: string;
  /** The region that it happened in. */
  readonly region: string;
  /** When it happened, ISO 8601, as the sender says. */
  readonly time: string;
  /** ARNs that the event is about; may be empty. */
  readonly resources: readonly string[];
  /** Set when the event came out of an archive. */
  readonly replayName?: string;
}

/** Where a piece of work belongs in a trace; carried on by a producer that is used inside a handler. */
export interface TraceContext {
  /** X-Ray's header, as in the `AWSTraceHeader` system attribute. */
  readonly xray?: string;
  /** W3C Trace Context. */
  readonly traceparent?: string;
  /** Goes with `traceparent`: what tracing vendors add to it. */
  readonly tracestate?: string;
}

/** The circumstances of one try. */
export interface Context {
  /**
   * Aborted when the handler's timeout is over, when the message is no longer ours (its visibility timeout ended or
   * could not be extended), or when a stop waits no longer. Give it to whatever can be cancelled.
   */
  readonly signal: AbortSignal;
  /** How often the queue has handed the message out, this time included. */
  readonly attempt: number;
  /** When the message would come back if nobody extended it further. */
  deadline(): Date;
  /**
   * Makes the message stay away from others for at least this long from now; up to 12 hours after it was received.
   * Rejects when the queue no longer regards it as ours.
   */
  extend(duration: Duration): Promise<void>;
  /** Of the message; empty when it carried none. */
  readonly trace: TraceContext;
}

export interface BatchContext extends Omit<Context, "attempt" | "extend"> {
  /** Sends this message of the batch back; those not named are done. On FIFO the rest of its group goes back with it. */
  fail(message: Delivery, error?: unknown): void;
}

/** Returning means done; throwing means try again later; `retryIn`, `reject` and `discard` are values to return. */
export type Handler<Body = unknown, Result = unknown> = (
  message: Delivery<Body>,
  context: Context,
) => Result | Promise<Result>;

/**
 * Like `Handler` for several messages at once. Throwing returns all of them. To return some, call `context.fail`, or
 * return Lambda's `{ batchItemFailures: [{ itemIdentifier: id }] }`.
 */
export type BatchHandler<Body = unknown> = (
  messages: readonly Delivery<Body>[],
  context: BatchContext,
) => unknown | Promise<unknown>;
