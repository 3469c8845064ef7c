// The span "process <queue>" around a handler's call, and how long it took. The handler runs with the span active, so
// that spans which it makes are its children, and what it sends carries the span on. The span ends when the endings of
// all its messages stand: a handler that runs on after its timeout does not hold it open.

import type { Clock } from "../../base/clock.ts";
import type { Ending } from "../job.ts";
import type { RawMessage } from "../queue-port.ts";
import { traceOf, withTrace } from "../trace.ts";
import type { CallWatch, WatchCall } from "./call-watch.ts";
import {
  ATTRIBUTE,
  ERROR_OTHER,
  errorTypeOf,
  METRIC,
  queueAttributes,
  queueNameOf,
  SPAN_KIND,
  STATUS_ERROR,
} from "./conventions.ts";
import type { OtelAttributes, OtelContext, OtelHistogram, OtelSpan, OtelSpanOptions } from "./otel-port.ts";
import { propagated, spanOfTrace, traceOfSpan } from "./span-context.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

/** Undefined when there is nobody to tell. */
export function watchProcessing(
  queueUrl: string,
  telemetry: TelemetryOptions | undefined,
  clock: Clock,
): WatchCall | undefined {
  if (telemetry?.tracer === undefined && telemetry?.meter === undefined) return undefined;
  const { name, options } = METRIC.processDuration;
  const parts: ProcessParts = {
    telemetry,
    clock,
    name: `process ${queueNameOf(queueUrl)}`,
    attributes: {
      ...queueAttributes(queueUrl),
      [ATTRIBUTE.operationName]: "process",
      [ATTRIBUTE.operationType]: "process",
    },
    queueUrl,
    durations: telemetry.meter?.createHistogram(name, options),
  };
  return (messages) => new ProcessWatch(parts, messages);
}

interface ProcessParts {
  telemetry: TelemetryOptions;
  clock: Clock;
  name: string;
  attributes: OtelAttributes;
  queueUrl: string;
  durations: OtelHistogram | undefined;
}

class ProcessWatch implements CallWatch {
  readonly #parts: ProcessParts;
  readonly #messages: readonly RawMessage[];
  readonly #startedAtMs: number;
  readonly #endings: Ending[] = [];
  #span: OtelSpan | undefined;

  constructor(parts: ProcessParts, messages: readonly RawMessage[]) {
    this.#parts = parts;
    this.#messages = messages;
    this.#startedAtMs = parts.clock.nowMs();
  }

  run<Result>(call: () => Result): Result {
    const { telemetry, name } = this.#parts;
    const { tracer } = telemetry;
    const trace = traceOf(this.#messages[0] as RawMessage);
    if (tracer === undefined) return withTrace(trace, call);
    const { options, parent } = this.#described();
    const inSpan = (span: OtelSpan) => {
      this.#span = span;
      return withTrace(traceOfSpan(span.spanContext()) ?? trace, call);
    };
    return parent === undefined
      ? tracer.startActiveSpan(name, options, inSpan)
      : tracer.startActiveSpan(name, options, parent, inSpan);
  }

  ended(ending: Ending): void {
    this.#endings.push(ending);
    if (this.#endings.length === this.#messages.length) this.#end();
  }

  #described(): { options: OtelSpanOptions; parent: OtelContext | undefined } {
    const { telemetry, attributes, queueUrl } = this.#parts;
    const { api, propagate } = telemetry;
    const sources = this.#messages.map((message) => {
      const context = spanOfTrace(propagated(traceOf(message), propagate) ?? {}, api);
      return { message, context };
    });
    const links = sources.flatMap(({ message, context }) =>
      context === undefined ? [] : [{ context, attributes: { [ATTRIBUTE.messageId]: message.MessageId ?? "" } }],
    );
    const isAlone = this.#messages.length === 1;
    const [first] = sources;
    // A batch has as many senders as messages, and one of them is no better a parent than another.
    const sender = isAlone ? first?.context : undefined;
    const parent = sender === undefined ? undefined : api?.trace.setSpanContext(api.ROOT_CONTEXT, sender);
    return {
      parent,
      options: {
        kind: SPAN_KIND.consumer,
        links,
        // What was active when the consumer was started has nothing to do with the message.
        ...(parent === undefined ? { root: true } : {}),
        attributes: {
          ...attributes,
          [ATTRIBUTE.queueUrl]: queueUrl,
          ...(isAlone
            ? {
                [ATTRIBUTE.messageId]: first?.message.MessageId ?? "",
                [ATTRIBUTE.attempt]: Number(first?.message.Attributes?.["ApproximateReceiveCount"] ?? 1),
              }
            : { [ATTRIBUTE.batchCount]: this.#messages.length }),
        },
      },
    };
  }

  #end(): void {
    const { telemetry, durations, clock, attributes, name } = this.#parts;
    const failure = failureOf(this.#endings);
    const errorType = failure === undefined ? {} : { [ATTRIBUTE.errorType]: failure.type };
    durations?.record((clock.nowMs() - this.#startedAtMs) / 1000, { ...attributes, ...errorType });
    if (this.#span === undefined && telemetry.tracer !== undefined) {
      const { options, parent } = this.#described();
      this.#span = telemetry.tracer.startSpan(name, options, parent);
    }
    const span = this.#span;
    if (span === undefined) return;
    const outcomes = new Set(this.#endings.map(outcomeOf));
    span.setAttribute(ATTRIBUTE.outcome, [...outcomes].sort().join(" "));
    if (failure !== undefined) {
      if (failure.error !== undefined) span.recordException(exceptionOf(failure.error));
      span.setAttribute(ATTRIBUTE.errorType, failure.type);
      span.setStatus({ code: STATUS_ERROR, message: failure.words });
    }
    span.end();
  }
}

interface Failure {
  type: string;
  words: string;
  error?: unknown;
}

/** The first failure of a call; `retryIn` and `discard` are none. */
function failureOf(endings: readonly Ending[]): Failure | undefined {
  for (const ending of endings) {
    if (ending.kind === "done") continue;
    if (ending.kind !== "verdict") {
      const { error } = ending;
      return { type: errorTypeOf(error), words: error instanceof Error ? error.message : String(error), error };
    }
    if (ending.verdict.kind === "reject") return { type: "rejected", words: ending.verdict.why };
  }
  return undefined;
}

function outcomeOf(ending: Ending): string {
  switch (ending.kind) {
    case "verdict":
      return ending.verdict.kind;
    case "invalid":
      return "reject";
    default:
      return ending.kind;
  }
}

function exceptionOf(error: unknown): Error | string {
  if (error instanceof Error) return error;
  return typeof error === "string" ? error : ERROR_OTHER;
}
