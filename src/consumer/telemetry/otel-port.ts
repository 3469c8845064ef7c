// What the toolkit needs of OpenTelemetry, as shapes: `Tracer`, `Meter` and the API of `@opentelemetry/api` fit as they
// are. The package is the user's and is never imported here.

/** An opaque bag of values; OpenTelemetry's own. */
export interface OtelContext {
  getValue(key: symbol): unknown;
}

export interface OtelSpanContext {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  /** Bit 0: sampled. */
  traceFlags: number;
  isRemote?: boolean;
  traceState?: OtelTraceState;
}

export interface OtelTraceState {
  get(key: string): string | undefined;
  set(key: string, value: string): OtelTraceState;
  unset(key: string): OtelTraceState;
  serialize(): string;
}

export type OtelAttributes = Record<string, string | number>;

export interface OtelSpanOptions {
  /** A number of OpenTelemetry's `SpanKind`. */
  kind?: number;
  attributes?: OtelAttributes;
  links?: { context: OtelSpanContext; attributes?: OtelAttributes }[];
  /** True: no parent, whatever is active. */
  root?: boolean;
}

export interface OtelSpan {
  spanContext(): OtelSpanContext;
  setAttribute(key: string, value: string | number): unknown;
  /** `code`: a number of OpenTelemetry's `SpanStatusCode`. */
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: Error | string): void;
  end(): void;
}

export interface OtelTracer {
  startSpan(name: string, options: OtelSpanOptions, parent?: OtelContext): OtelSpan;
  /** Calls `run` with the span active, and answers what it returns. Does not end the span. */
  startActiveSpan<Result>(name: string, options: OtelSpanOptions, run: (span: OtelSpan) => Result): Result;
  startActiveSpan<Result>(
    name: string,
    options: OtelSpanOptions,
    parent: OtelContext,
    run: (span: OtelSpan) => Result,
  ): Result;
}

export interface OtelInstrumentOptions {
  description?: string;
  /** As UCUM writes units: `s`, `{message}`. */
  unit?: string;
  advice?: { explicitBucketBoundaries?: number[] };
}

export interface OtelCounter {
  add(value: number, attributes: OtelAttributes): void;
}

export interface OtelHistogram {
  record(value: number, attributes: OtelAttributes): void;
}

export interface OtelMeter {
  createCounter(name: string, options: OtelInstrumentOptions): OtelCounter;
  createHistogram(name: string, options: OtelInstrumentOptions): OtelHistogram;
}

/** Of `import * as api from "@opentelemetry/api"`: what makes a span of another process a parent. */
export interface OtelApi {
  ROOT_CONTEXT: OtelContext;
  trace: { setSpanContext(context: OtelContext, spanContext: OtelSpanContext): OtelContext };
  createTraceState(tracestate?: string): OtelTraceState;
}
