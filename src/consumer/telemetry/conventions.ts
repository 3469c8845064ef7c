// The names of OpenTelemetry's semantic conventions for messaging, version 1.45, as far as they are used here.
// https://opentelemetry.io/docs/specs/semconv/messaging/ (status: development)

import type { OtelAttributes, OtelInstrumentOptions } from "./otel-port.ts";

export const SPAN_KIND = { producer: 3, consumer: 4 } as const;
export const STATUS_ERROR = 2;

export const ATTRIBUTE = {
  operationName: "messaging.operation.name",
  operationType: "messaging.operation.type",
  messageId: "messaging.message.id",
  batchCount: "messaging.batch.message_count",
  queueUrl: "aws.sqs.queue.url",
  errorType: "error.type",
  /** Ours: there is no convention for either. */
  outcome: "millpond.outcome",
  attempt: "millpond.attempt",
} as const;

/** `error.type` of a failure that has no class of its own. */
export const ERROR_OTHER = "_OTHER";

const SECONDS_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export const METRIC = {
  operationDuration: duration("messaging.client.operation.duration", "How long a call of the queue took."),
  processDuration: duration("messaging.process.duration", "How long the handler had a message or a batch."),
  sent: count("messaging.client.sent.messages", "Messages that the queue was asked to take, each try counted."),
  consumed: count("messaging.client.consumed.messages", "Messages that receives brought, redeliveries counted again."),
} as const;

/**
 * What all spans and metrics about one queue say. The system is named in the older way too: version 1.45 renamed it, and
 * what looks at the data has yet to follow.
 */
export function queueAttributes(queueUrl: string): OtelAttributes {
  const url = URL.canParse(queueUrl) ? new URL(queueUrl) : undefined;
  const port = Number(url?.port || (url?.protocol === "http:" ? 80 : 443));
  return {
    "messaging.system": "aws_sqs",
    "messaging.system.name": "aws.sqs",
    "messaging.destination.name": queueNameOf(queueUrl),
    ...(url === undefined ? {} : { "server.address": url.hostname, "server.port": port }),
  };
}

export function queueNameOf(queueUrl: string): string {
  return queueUrl.slice(queueUrl.lastIndexOf("/") + 1);
}

/** A class of errors, few in number: an error's code or name. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = (typeof error === "object" && error !== null ? error : {}) as {
    code?: unknown;
    name?: unknown;
  };
  for (const word of [code, name]) if (typeof word === "string" && word !== "") return word;
  return ERROR_OTHER;
}

function duration(name: string, description: string): { name: string; options: OtelInstrumentOptions } {
  return { name, options: { description, unit: "s", advice: { explicitBucketBoundaries: SECONDS_BOUNDARIES } } };
}

function count(name: string, description: string): { name: string; options: OtelInstrumentOptions } {
  return { name, options: { description, unit: "{message}" } };
}
