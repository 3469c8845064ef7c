// How a consumer or a producer is told to report to the user's own OpenTelemetry.

import type { OtelApi, OtelMeter, OtelTracer } from "./otel-port.ts";

/** How a trace travels in a message: X-Ray's system attribute, or W3C's `traceparent` message attribute. */
export type Propagation = "xray" | "w3c";

export interface TelemetryOptions {
  /** `trace.getTracer("…")`. Absent: no spans. */
  tracer?: OtelTracer;
  /** `metrics.getMeter("…")`. Absent: no metrics. */
  meter?: OtelMeter;
  /**
   * `import * as api from "@opentelemetry/api"`. With it the span of a message that is worked on alone is a child of the
   * span that sent it: one trace from end to end. Without it the two are linked, each in a trace of its own.
   */
  api?: OtelApi;
  /** Which forms a producer writes and a consumer reads; of two that were read, W3C counts. Default both. */
  propagate?: readonly Propagation[];
}
