// The span "send <queue>" around one call of a producer. Its context goes into every message of the call, where it is
// the parent, or what the receiver's span is linked to.

import type { SendReport } from "../producer.ts";
import { withTrace } from "../trace.ts";
import { ATTRIBUTE, ERROR_OTHER, queueAttributes, queueNameOf, SPAN_KIND, STATUS_ERROR } from "./conventions.ts";
import type { OtelSpan } from "./otel-port.ts";
import { traceOfSpan } from "./span-context.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** `send` is called once, at once; what it answers is answered. */
export function inSendSpan(
  queueUrl: string,
  telemetry: TelemetryOptions | undefined,
  count: number,
  send: () => Promise<SendReport>,
): Promise<SendReport> {
  const tracer = telemetry?.tracer;
  if (tracer === undefined || count === 0) return send();
  const attributes = {
    ...queueAttributes(queueUrl),
    [ATTRIBUTE.operationName]: "send",
    [ATTRIBUTE.operationType]: "send",
    [ATTRIBUTE.queueUrl]: queueUrl,
    ...(count === 1 ? {} : { [ATTRIBUTE.batchCount]: count }),
  };
  return tracer.startActiveSpan(
    `send ${queueNameOf(queueUrl)}`,
    { kind: SPAN_KIND.producer, attributes },
    async (span) => {
      try {
        const trace = traceOfSpan(span.spanContext());
        const report = await (trace === undefined ? send() : withTrace(trace, send));
        describe(span, report, count);
        return report;
      } finally {
        span.end();
      }
    },
  );
}

function describe(span: OtelSpan, { sent, failed }: SendReport, count: number): void {
  const [only] = sent;
  if (count === 1 && only !== undefined) span.setAttribute(ATTRIBUTE.messageId, only.messageId);
  const [first] = failed;
  if (first === undefined) return;
  const codes = new Set(failed.map(({ code }) => code));
  span.setAttribute(ATTRIBUTE.errorType, codes.size === 1 ? first.code : ERROR_OTHER);
  const message =
    count === 1 ? first.why : `${failed.length} of ${count} messages were not sent; the first: ${first.why}`;
  span.setStatus({ code: STATUS_ERROR, message });
}
