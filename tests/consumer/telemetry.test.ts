// Spans and metrics as OpenTelemetry's own SDK gets them, from a producer through the queue to a handler and on.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ConsumeOptions } from "../../src/consumer/index.ts";
import { consume, discard, producer, reject, retryIn } from "../../src/consumer/index.ts";
import { receive, sleepOn, type World, withWorld } from "./world.ts";

api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
after(() => api.context.disable());

/** OpenTelemetry in memory. */
function otel() {
  const spans = new InMemorySpanExporter();
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const metering = new MeterProvider({ readers: [reader] });
  return {
    tracer: tracing.getTracer("test"),
    meter: metering.getMeter("test"),
    spans: () => spans.getFinishedSpans(),
    named: (name: string) => spans.getFinishedSpans().filter((span) => span.name === name),
    /** Of the metric's points: what was measured or counted, by the values of these attributes. */
    async points(metric: string, ...attributes: string[]): Promise<Record<string, number>> {
      await metering.forceFlush();
      const metrics =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      const found = metrics.find(({ descriptor }) => descriptor.name === metric);
      const points: Record<string, number> = {};
      for (const { attributes: has, value } of found?.dataPoints ?? []) {
        const name = attributes.map((attribute) => has[attribute] ?? "-").join(" ");
        points[name] = (points[name] ?? 0) + (typeof value === "number" ? value : value.count);
      }
      return points;
    },
    end: () => metering.shutdown(),
  };
}

async function withOtel(use: (world: World, made: ReturnType<typeof otel>) => Promise<void>): Promise<void> {
  const made = otel();
  try {
    await withWorld((world) => use(world, made));
  } finally {
    await made.end();
  }
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId;

test("one trace from the sender through the handler to what the handler does and sends", async () => {
  await withOtel(async ({ queue, sqs, clock, own }, { tracer, named }) => {
    const orders = await queue("orders");
    const mails = await queue("mails");
    const telemetry = { api, tracer };
    const mailer = producer({ queue: mails, client: sqs, clock, telemetry });
    const handler = async () => {
      await sleepOn(clock, 10);
      tracer.startSpan("charge").end();
      await mailer.send({ body: "b" });
    };
    await own(consume({ queue: orders, client: sqs, clock, telemetry, decode: "text", handler })).start();
    await tracer.startActiveSpan("checkout", async (span) => {
      await producer({ queue: orders, client: sqs, clock, telemetry }).send({ body: "a" });
      span.end();
    });
    await clock.advance("5s");
    const [checkout] = named("checkout");
    const [sent] = named("send orders");
    const [processed] = named("process orders");
    const [charged] = named("charge");
    const [onwards] = named("send mails");
    assert.equal(parentOf(sent), idOf(checkout));
    assert.equal(parentOf(processed), idOf(sent));
    assert.equal(processed?.parentSpanContext?.isRemote, true);
    assert.deepEqual(
      processed?.links.map(({ context }) => context.spanId),
      [idOf(sent)],
    );
    assert.equal(parentOf(charged), idOf(processed));
    assert.equal(parentOf(onwards), idOf(processed));
    const [mail] = await receive(sqs, mails);
    const { traceparent } = mail?.MessageAttributes ?? {};
    assert.equal(traceparent?.StringValue, `00-${traceOf(checkout)}-${idOf(onwards)}-01`);
    assert.match(
      mail?.Attributes?.AWSTraceHeader ?? "",
      new RegExp(`^Root=1-.{33};Parent=${idOf(onwards)};Sampled=1$`),
    );
    assert.deepEqual([sent?.kind, processed?.kind], [api.SpanKind.PRODUCER, api.SpanKind.CONSUMER]);
    const messageId = sent?.attributes["messaging.message.id"];
    assert.match(String(messageId), /^[0-9a-f-]{36}$/);
    const { hostname, port } = new URL(orders);
    const common = {
      "messaging.system": "aws_sqs",
      "messaging.system.name": "aws.sqs",
      "messaging.destination.name": "orders",
      "messaging.message.id": messageId,
      "aws.sqs.queue.url": orders,
      "server.address": hostname,
      "server.port": Number(port),
    };
    const operation = (name: string) => ({ "messaging.operation.name": name, "messaging.operation.type": name });
    assert.deepEqual(sent?.attributes, { ...common, ...operation("send") });
    const ours = { "millpond.attempt": 1, "millpond.outcome": "done" };
    assert.deepEqual(processed?.attributes, { ...common, ...operation("process"), ...ours });
  });
});

test("without the API the handler's span is a root that is linked to the sender's", async () => {
  await withOtel(async ({ queue, sqs, clock, own }, { tracer, named }) => {
    const url = await queue("orders");
    const options = { queue: url, client: sqs, clock, telemetry: { tracer } };
    await tracer.startActiveSpan("deployment", async (span) => {
      await own(consume({ ...options, decode: "text", handler: () => tracer.startSpan("inner").end() })).start();
      span.end();
    });
    await producer(options).send({ body: "a" });
    await clock.advance("1s");
    const [processed] = named("process orders");
    assert.equal(processed?.parentSpanContext, undefined);
    assert.deepEqual(
      processed?.links.map(({ context }) => context.spanId),
      named("send orders").map(idOf),
    );
    assert.equal(parentOf(named("inner")[0]), idOf(processed));
  });
});

test("the eleventh attribute is never ours: with ten the trace goes by X-Ray's header alone, and is found there", async () => {
  await withOtel(async ({ queue, sqs, clock, own }, { tracer, named }) => {
    const url = await queue("orders");
    const options = { queue: url, client: sqs, clock, telemetry: { api, tracer } };
    const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, "x"]));
    await producer(options).send({ body: "full", attributes });
    await producer({ ...options, telemetry: { tracer, propagate: ["xray"] } }).send({ body: "asked" });
    const seen: number[] = [];
    const handler = ({ attributes }: { attributes: object }) => void seen.push(Object.keys(attributes).length);
    await own(consume({ ...options, decode: "text", handler })).start();
    await clock.advance("1s");
    assert.deepEqual(seen.sort(), [0, 10]);
    assert.deepEqual(new Set(named("process orders").map(parentOf)), new Set(named("send orders").map(idOf)));
  });
});

test("what became of a message is on its span and in the metrics", async () => {
  await withOtel(async ({ queue, send, sqs, clock, own }, { tracer, meter, spans, points }) => {
    const url = await queue("orders", {}, { name: "failed", after: 1 });
    const handler = async ({ body }: { body: { kind: string } }) => {
      if (body.kind === "throws") throw new TypeError("no such order");
      if (body.kind === "hangs") await sleepOn(clock, 10_000);
      if (body.kind === "later") return retryIn("1h");
      if (body.kind === "never") return reject("closed account");
      if (body.kind === "old") return discard("outdated");
    };
    const telemetry = { tracer, meter };
    const options: ConsumeOptions<{ kind: string }> = {
      queue: url,
      client: sqs,
      clock,
      telemetry,
      handler,
      timeout: "2s",
    };
    await own(consume({ ...options, retry: { delay: "1h", jitter: 0 } })).start();
    const kinds = ["fine", "throws", "hangs", "later", "never", "old"];
    await send(url, [...kinds.map((kind) => JSON.stringify({ kind })), "{broken"]);
    await clock.advance("3s");
    const seen = spans().map(({ attributes, status, events }) => [
      attributes["millpond.outcome"],
      attributes["error.type"] ?? "-",
      status.code === api.SpanStatusCode.ERROR ? status.message : "-",
      events.map(({ name }) => name).join(),
    ]);
    assert.deepEqual(seen.sort(), [
      ["aborted", "HandlerTimedOut", "The handler took longer than 2000 ms.", "exception"],
      ["discard", "-", "-", ""],
      ["done", "-", "-", ""],
      ["failed", "TypeError", "no such order", "exception"],
      ["reject", "InvalidMessage", seen.find(([, type]) => type === "InvalidMessage")?.[2], "exception"],
      ["reject", "rejected", "closed account", ""],
      ["retry", "-", "-", ""],
    ]);
    assert.deepEqual(await points("messaging.process.duration", "messaging.destination.name", "error.type"), {
      "orders -": 3,
      "orders TypeError": 1,
      "orders HandlerTimedOut": 1,
      "orders rejected": 1,
      "orders InvalidMessage": 1,
    });
    assert.deepEqual(await points("messaging.client.consumed.messages", "messaging.operation.name"), { receive: 7 });
    assert.deepEqual(await points("messaging.client.sent.messages", "messaging.destination.name"), { failed: 2 });
    const calls = await points("messaging.client.operation.duration", "messaging.operation.name", "error.type");
    assert.deepEqual(Object.keys(calls).sort(), ["change_visibility -", "delete -", "receive -", "send -"]);
  });
});

test("a batch has one span, linked to every sender, and says what failed in it", async () => {
  await withOtel(async ({ queue, sqs, clock, own }, { tracer, named }) => {
    const url = await queue("orders");
    const options = { queue: url, client: sqs, clock, telemetry: { api, tracer } };
    const { sent } = await producer(options).sendAll([{ body: "a" }, { body: "b" }]);
    await producer(options).send({ body: "c" });
    const batchHandler = (messages: readonly { body: string }[]) => ({
      batchItemFailures: messages
        .filter(({ body }) => body === "b")
        .map((message) => ({ itemIdentifier: (message as unknown as { id: string }).id })),
    });
    const retry = { delay: "1h", jitter: 0 } as const;
    await own(consume<string>({ ...options, decode: "text", batchHandler, batchWait: "1s", retry })).start();
    await clock.advance("3s");
    const [pair, single] = named("send orders");
    assert.equal(pair?.attributes["messaging.batch.message_count"], 2);
    assert.equal(single?.attributes["messaging.batch.message_count"], undefined);
    const [processed, ...more] = named("process orders");
    assert.equal(more.length, 0);
    assert.equal(processed?.parentSpanContext, undefined);
    assert.deepEqual(
      processed?.links.map(({ context }) => context.spanId).sort(),
      [idOf(pair), idOf(pair), idOf(single)].sort(),
    );
    assert.ok(processed?.links.some(({ attributes }) => attributes?.["messaging.message.id"] === sent[0]?.messageId));
    assert.equal(processed?.attributes["messaging.batch.message_count"], 3);
    assert.equal(processed?.attributes["millpond.outcome"], "done failed");
    assert.equal(processed?.status.code, api.SpanStatusCode.ERROR);
  });
});

test("what could not be sent is an error of the span and counted apart", async () => {
  await withOtel(async ({ queue, sqs, clock }, { tracer, meter, named, points }) => {
    const url = await queue("orders");
    const orders = producer({ queue: url, client: sqs, clock, telemetry: { tracer, meter } });
    const bad = { body: "bad", attributes: { "AWS.reserved": "x" } };
    const { failed } = await orders.sendAll([{ body: "good" }, bad]);
    const [span] = named("send orders");
    assert.equal(span?.status.code, api.SpanStatusCode.ERROR);
    assert.equal(span?.attributes["error.type"], failed[0]?.code);
    await assert.rejects(orders.send(bad));
    const sent = await points("messaging.client.sent.messages", "error.type");
    assert.deepEqual(sent, { "-": 1, [failed[0]?.code as string]: 2 });
  });
});

test("an API without an SDK changes nothing: the message's own trace goes on", async () => {
  await withWorld(async ({ queue, sqs, clock, own }) => {
    const first = await queue("first");
    const second = await queue("second");
    const telemetry = { api, tracer: api.trace.getTracer("none"), meter: api.metrics.getMeter("none") };
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await producer({ queue: first, client: sqs, clock, telemetry }).send({ body: "a", trace: { traceparent } });
    const onwards = producer({ queue: second, client: sqs, clock });
    const handler = async () => void (await onwards.send({ body: "b" }));
    await own(
      consume({ queue: first, client: sqs, clock, telemetry: { tracer: telemetry.tracer }, decode: "text", handler }),
    ).start();
    await clock.advance("1s");
    const [b] = await receive(sqs, second);
    assert.equal(b?.MessageAttributes?.["traceparent"]?.StringValue, traceparent);
  });
});
