// Invoke: waits for the function's answer, or takes the event, or only looks (fanout.md C9).

import { isUtf8 } from "node:buffer";
import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import { FUNCTION_EVENT_BYTES_MAX, FUNCTION_REQUEST_BYTES_MAX } from "../../engine/function-limits.ts";
import { type Refusal, refusal } from "../../engine/refusal.ts";
import { refuseOther } from "./check.ts";
import { functionOf } from "./function-of.ts";
import { ask, operation } from "./operation.ts";

const KINDS = { RequestResponse: "wait", Event: "event", DryRun: "check" } as const;
const STATUSES = { wait: 200, event: 202, check: 204 } as const;

export const invoke = operation("Invoke", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  const { InvocationType: type = "RequestResponse", LogType: logType = "None", Payload: payload } = input;
  const problem =
    refuseOther(type, "invocationType", Object.keys(KINDS)) ?? refuseOther(logType, "logType", ["None", "Tail"]);
  if (problem !== undefined) return refuse(problem);
  const how = KINDS[type as keyof typeof KINDS];
  const body = readPayload(payload ?? new Uint8Array(), how === "event");
  if (!body.ok) return body;
  const clientContext = readContext(input.ClientContext);
  if (!clientContext.ok) return clientContext;
  return ask(
    {
      kind: "invokeFunction",
      ...named.value,
      how,
      payload: body.value,
      ...(clientContext.value === undefined ? {} : { clientContext: clientContext.value }),
      ...(call.traceHeader === undefined ? {} : { traceHeader: call.traceHeader }),
    },
    ({ payload: answered, functionError, logTail, executedVersion }) => ({
      StatusCode: STATUSES[how],
      Payload: answered,
      FunctionError: functionError,
      LogResult: logType === "Tail" ? logTail : undefined,
      ExecutedVersion: how === "wait" ? executedVersion : undefined,
    }),
  );
});

/** No payload is an empty object to the function. */
function readPayload(payload: Uint8Array, isEvent: boolean): Result<Uint8Array, Refusal> {
  const bytesMax = isEvent ? FUNCTION_EVENT_BYTES_MAX : FUNCTION_REQUEST_BYTES_MAX;
  if (payload.length > bytesMax) {
    const text = `${payload.length} byte payload is too large for the ${isEvent ? "Event" : "RequestResponse"} invocation type (limit ${bytesMax} bytes)`;
    return refuse(refusal("RequestTooLargeException", text));
  }
  if (payload.length === 0) return accept(Buffer.from("{}"));
  const problem = jsonProblem(payload);
  if (problem === undefined) return accept(payload);
  return refuse(refusal("InvalidRequestContentException", `Could not parse request body into json: ${problem}`));
}

function jsonProblem(payload: Uint8Array): string | undefined {
  if (!isUtf8(payload)) return "Invalid UTF-8";
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString();
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const word = /^\s*([A-Za-z_$][\w$]*)/.exec(text)?.[1];
    if (word === undefined) return (error as Error).message;
    return `Unrecognized token '${word}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')`;
  }
}

/** Base64 of JSON on the wire; JSON to the function. */
function readContext(given: string | undefined): Result<string | undefined, Refusal> {
  if (given === undefined || given === "") return accept(undefined);
  const text = Buffer.from(given, "base64").toString();
  try {
    JSON.parse(text);
    return accept(text);
  } catch {
    const message = "Client context must be a valid Base64-encoded JSON object.";
    return refuse(refusal("InvalidRequestContentException", message));
  }
}
