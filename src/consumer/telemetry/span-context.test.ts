// Headers to spans and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as api from "@opentelemetry/api";
import { propagated, spanOfTrace, traceOfSpan } from "./span-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${spanId}-01`;
const xray = `Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=${spanId};Sampled=1`;

test("a span is named in both forms, with its vendors' state", () => {
  const traceState = api.createTraceState("vendor=1");
  assert.deepEqual(traceOfSpan({ traceId, spanId, traceFlags: 1, traceState }), {
    traceparent,
    tracestate: "vendor=1",
    xray,
  });
  const unsampled = traceOfSpan({ traceId, spanId, traceFlags: 0 });
  assert.deepEqual(
    [unsampled?.traceparent, unsampled?.xray],
    [traceparent.replace(/01$/, "00"), xray.replace("Sampled=1", "Sampled=0")],
  );
  assert.equal(traceOfSpan(api.INVALID_SPAN_CONTEXT), undefined);
});

test("either form gives the span back; W3C counts where both are there", () => {
  const span = { traceId, spanId, traceFlags: 1, isRemote: true };
  assert.deepEqual(spanOfTrace({ traceparent }), span);
  assert.deepEqual(spanOfTrace({ xray }), span);
  const other = xray.replace("0af76519", "11111111");
  assert.deepEqual(spanOfTrace({ traceparent, xray: other }), span);
  assert.equal(spanOfTrace({ traceparent, tracestate: "a=1" }, api)?.traceState?.get("a"), "1");
  assert.equal(spanOfTrace({ xray: xray.replace("Sampled=1", "Sampled=0") })?.traceFlags, 0);
});

test("what names no span is passed over", () => {
  for (const broken of [
    "",
    "00-0-0-01",
    traceparent.toUpperCase(),
    traceparent.replace("00-", "ff-"),
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
  ])
    assert.equal(spanOfTrace({ traceparent: broken }), undefined, broken);
  for (const broken of ["Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1", "Root=2;Parent=x", ";;=", "Self=1"])
    assert.equal(spanOfTrace({ xray: broken }), undefined, broken);
  assert.equal(spanOfTrace({}), undefined);
});

test("only the forms that were asked for travel", () => {
  const trace = { traceparent, tracestate: "a=1", xray };
  assert.deepEqual(propagated(trace, undefined), trace);
  assert.deepEqual(propagated(trace, ["xray"]), { xray });
  assert.deepEqual(propagated(trace, ["w3c"]), { traceparent, tracestate: "a=1" });
  assert.deepEqual(propagated(trace, []), {});
});
