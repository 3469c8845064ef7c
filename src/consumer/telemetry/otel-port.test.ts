// The real OpenTelemetry fits the shapes: checked by the compiler, for the API and for the SDK.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as api from "@opentelemetry/api";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { systemClock } from "../../base/clock.ts";
import type { QueuePort } from "../queue-port.ts";
import { measuredPort } from "./measured-port.ts";
import { watchProcessing } from "./process-watch.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

test("the API's tracer, meter and API are taken as they are, and the SDK's too", () => {
  const ofApi: TelemetryOptions = { api, tracer: api.trace.getTracer("test"), meter: api.metrics.getMeter("test") };
  const ofSdk: TelemetryOptions = {
    tracer: new BasicTracerProvider().getTracer("test"),
    meter: new MeterProvider().getMeter("test"),
  };
  assert.ok(ofApi.tracer && ofSdk.tracer);
});

test("without telemetry there is nobody in between", () => {
  const port = {} as QueuePort;
  assert.equal(measuredPort(port, undefined, systemClock), port);
  for (const telemetry of [undefined, {}])
    assert.equal(watchProcessing("http://localhost/000000000000/orders", telemetry, systemClock), undefined);
});
