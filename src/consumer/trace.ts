// Carries trace context from producer to consumer and on. Outgoing it goes into the `AWSTraceHeader` system attribute,
// which costs no message attribute, and W3C's `traceparent` only while there is room: tracing must never make a message
// invalid. Inside a handler the context is found by whatever sends next.

import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "./delivery.ts";
import { MESSAGE_ATTRIBUTES_MAX } from "./limits.ts";
import type { RawAttribute, RawMessage, SendEntry } from "./queue-port.ts";

const current = new AsyncLocalStorage<TraceContext>();

/** Of the message that is being worked on, or of the span around that; undefined outside of handlers. */
export function currentTrace(): TraceContext | undefined {
  return current.getStore();
}

export function withTrace<Result>(trace: TraceContext, run: () => Result): Result {
  return current.run(trace, run);
}

export function traceOf(raw: RawMessage): TraceContext {
  const xray = raw.Attributes?.["AWSTraceHeader"];
  const traceparent = raw.MessageAttributes?.["traceparent"]?.StringValue;
  const tracestate = raw.MessageAttributes?.["tracestate"]?.StringValue;
  return {
    ...(xray ? { xray } : {}),
    ...(traceparent ? { traceparent } : {}),
    ...(tracestate ? { tracestate } : {}),
  };
}

/** The entry with the context on it; attributes of the same name that the caller set stay. */
export function traced(entry: SendEntry, trace: TraceContext | undefined): SendEntry {
  if (trace === undefined) return entry;
  const { xray, traceparent, tracestate } = trace;
  const attributes: Record<string, RawAttribute> = { ...entry.attributes };
  const add = (name: string, value: string | undefined) => {
    if (value === undefined || name in attributes) return;
    if (Object.keys(attributes).length < MESSAGE_ATTRIBUTES_MAX)
      attributes[name] = { DataType: "String", StringValue: value };
  };
  add("traceparent", traceparent);
  if ("traceparent" in attributes) add("tracestate", tracestate);
  return {
    ...entry,
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    ...(xray === undefined || entry.traceHeader !== undefined ? {} : { traceHeader: xray }),
  };
}
