// Who is told of an asynchronous invocation's end: the destinations of its configuration get a record of it, the
// function's dead-letter queue gets the event itself. Shapes: fanout.md C9.

import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { EventInvokeConfig, FunctionRecord, MessageAttribute } from "../../engine/command.ts";
import { EVENT_ERROR_MESSAGE_BYTES_MAX } from "../../engine/function-limits.ts";
import { functionArn, type Host, versionOf, type Work } from "../../host/index.ts";

export type Condition = "Success" | "RetriesExhausted" | "EventAgeExceeded" | "ZeroReservedConcurrency";

/** How the last attempt ended. */
export interface Ended {
  executedVersion: string;
  /** Absent when it never ran. */
  response?: { functionError: string | undefined; payload: Uint8Array };
  invokeCount: number;
}

export interface DestinationsOptions {
  host: Host;
  clock: Clock;
  log: (level: "debug" | "info" | "warn" | "error", text: string, details?: Record<string, unknown>) => void;
  record: () => FunctionRecord;
}

export class Destinations {
  readonly #options: DestinationsOptions;

  constructor(options: DestinationsOptions) {
    this.#options = options;
  }

  async succeeded(work: Work, config: EventInvokeConfig | undefined, ended: Ended): Promise<void> {
    if (config?.onSuccess === undefined) return;
    await this.#tell(config.onSuccess, this.#recordOf(work, "Success", ended), []);
  }

  async failed(work: Work, condition: Condition, config: EventInvokeConfig | undefined, ended: Ended): Promise<void> {
    const record = this.#options.record();
    const { deadLetterArn } = versionOf(record, work.attributes["qualifier"]) ?? record;
    if (config?.onFailure !== undefined) {
      await this.#tell(config.onFailure, this.#recordOf(work, condition, ended), []);
    }
    if (deadLetterArn !== undefined) {
      await this.#tell(deadLetterArn, Buffer.from(work.body).toString(), deadLetterAttributes(work, ended));
    }
    if (config?.onFailure !== undefined || deadLetterArn !== undefined) return;
    const { function: key } = record;
    this.#options.log("warn", `An event for ${functionArn(key)} was given up and is gone (${condition}).`, {
      requestId: work.id,
    });
  }

  #recordOf(work: Work, condition: Condition, { executedVersion, response, invokeCount }: Ended): string {
    const { record, clock } = this.#options;
    const context = {
      requestId: work.id,
      functionArn: functionArn(record().function, work.attributes["qualifier"] ?? "$LATEST"),
      condition,
      approximateInvokeCount: invokeCount,
    };
    const told = {
      version: "1.0",
      timestamp: new Date(clock.nowMs()).toISOString(),
      requestContext: context,
      requestPayload: jsonOf(work.body),
    };
    if (response === undefined) return JSON.stringify(told);
    const { functionError, payload } = response;
    const responseContext = {
      statusCode: 200,
      executedVersion,
      ...(functionError === undefined ? {} : { functionError }),
    };
    return JSON.stringify({ ...told, responseContext, responsePayload: jsonOf(payload) });
  }

  /** An event that ended is not run again because nobody can be told: that is only logged. */
  async #tell(arn: string, text: string, attributes: MessageAttribute[]): Promise<void> {
    const problem = await this.#send(arn, text, attributes).catch((error) => (error as Error).message);
    if (problem === undefined) return;
    this.#options.log("warn", `${arn} could not be told how an asynchronous invocation ended: ${problem}`);
  }

  async #send(arn: string, text: string, attributes: MessageAttribute[]): Promise<string | undefined> {
    const { host } = this.#options;
    const [, , service, region = "", account = "", name = "", ...rest] = arn.split(":");
    const key = { region, account, name };
    const body = Buffer.from(text);
    if (service === "sqs") {
      const content = { body, bodyMd5: createHash("md5").update(body).digest(), attributes };
      const sizeBytes = attributes.reduce((sum, each) => sum + each.name.length + each.value.length, body.length);
      const entries = [{ content, sizeBytes }];
      const sent = await host.execute({ kind: "sendMessages", queue: key, senderId: "lambda", batch: false, entries });
      return reasonOf(sent) ?? (sent.ok ? reasonOf(sent.value.entries[0]) : undefined);
    }
    if (service === "sns") {
      const entries = [{ messages: { default: text }, attributes }];
      const published = await host.execute({ kind: "publish", topic: key, entries });
      return reasonOf(published) ?? (published.ok ? reasonOf(published.value.entries[0]) : undefined);
    }
    const [functionName = "", qualifier] = rest;
    return reasonOf(
      await host.execute({
        kind: "invokeFunction",
        function: { region, account, name: functionName },
        ...(qualifier === undefined ? {} : { qualifier }),
        how: "event",
        payload: body,
      }),
    );
  }
}

function reasonOf(result: { ok: boolean; refusal?: { message: string } } | undefined): string | undefined {
  return result === undefined || result.ok ? undefined : result.refusal?.message;
}

function deadLetterAttributes(work: Work, { response }: Ended): MessageAttribute[] {
  const attributes = [text("RequestID", work.id)];
  if (response === undefined) return attributes;
  const error = jsonOf(response.payload) as { errorMessage?: unknown } | null;
  const message = typeof error?.errorMessage === "string" ? error.errorMessage : "";
  attributes.push({ name: "ErrorCode", dataType: "Number", value: "200" });
  if (message !== "") attributes.push(text("ErrorMessage", cut(message)));
  return attributes;
}

function text(name: string, value: string): MessageAttribute {
  return { name, dataType: "String", value };
}

function cut(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= EVENT_ERROR_MESSAGE_BYTES_MAX) return message;
  // What is left of a character that was cut in two goes, too.
  return bytes
    .subarray(0, EVENT_ERROR_MESSAGE_BYTES_MAX)
    .toString()
    .replace(/\uFFFD$/, "");
}

/** What is no JSON is passed on as a text. */
function jsonOf(bytes: Uint8Array): unknown {
  const written = Buffer.from(bytes).toString();
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}
