// Between what a message carries (trace headers) and what OpenTelemetry has (a span's context). Formats:
// https://www.w3.org/TR/trace-context/ and https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html

import type { TraceContext } from "../delivery.ts";
import type { OtelApi, OtelSpanContext } from "./otel-port.ts";
import type { Propagation } from "./telemetry-options.ts";

const SAMPLED = 1;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/** The part of it that may travel. */
export function propagated(trace: TraceContext | undefined, propagate: readonly Propagation[] | undefined) {
  if (trace === undefined || propagate === undefined) return trace;
  const { xray, ...w3c } = trace;
  return {
    ...(propagate.includes("w3c") ? w3c : {}),
    ...(xray !== undefined && propagate.includes("xray") ? { xray } : {}),
  };
}

/** The headers that name a span; undefined for one that is nobody's, as of an API without an SDK. */
export function traceOfSpan({ traceId, spanId, traceFlags, traceState }: OtelSpanContext): TraceContext | undefined {
  if (!isValid(traceId, spanId)) return undefined;
  const tracestate = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, "0")}`,
    ...(tracestate ? { tracestate } : {}),
    xray: `Root=1-${traceId.slice(0, 8)}-${traceId.slice(8)};Parent=${spanId};Sampled=${traceFlags & SAMPLED}`,
  };
}

/** The span that the headers name, if they name one. */
export function spanOfTrace(trace: TraceContext, api?: OtelApi): OtelSpanContext | undefined {
  const context = fromTraceparent(trace.traceparent) ?? fromXray(trace.xray);
  if (context === undefined || api === undefined || !trace.tracestate || !trace.traceparent) return context;
  return { ...context, traceState: api.createTraceState(trace.tracestate) };
}

function fromTraceparent(header: string | undefined): OtelSpanContext | undefined {
  // A later version may have more behind the flags; "ff" is none.
  const match = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(header?.trim() ?? "");
  const [, traceId = "", spanId = "", flags = "0"] = match ?? [];
  return isValid(traceId, spanId) ? remote(traceId, spanId, Number.parseInt(flags, 16)) : undefined;
}

function fromXray(header: string | undefined): OtelSpanContext | undefined {
  const fields = new Map<string, string>();
  for (const field of (header ?? "").split(";")) {
    const [name = "", value = ""] = field.trim().split("=", 2);
    fields.set(name, value);
  }
  const [, time = "", rest = ""] = /^1-([\da-f]{8})-([\da-f]{24})$/i.exec(fields.get("Root") ?? "") ?? [];
  const [spanId = ""] = /^[\da-f]{16}$/i.exec(fields.get("Parent") ?? "") ?? [];
  const traceId = (time + rest).toLowerCase();
  if (!isValid(traceId, spanId)) return undefined;
  return remote(traceId, spanId.toLowerCase(), fields.get("Sampled") === "1" ? SAMPLED : 0);
}

function remote(traceId: string, spanId: string, traceFlags: number): OtelSpanContext {
  return { traceId, spanId, traceFlags, isRemote: true };
}

function isValid(traceId: string, spanId: string): boolean {
  return traceId.length === NO_TRACE.length && traceId !== NO_TRACE && spanId !== NO_SPAN && spanId !== "";
}
