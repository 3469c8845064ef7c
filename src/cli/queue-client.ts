// The SQS client of the command line: AWS JSON over fetch, without signatures, since Millpond checks none. The
// credential scope still travels, because account and region come from it.

import { clientEnvironment } from "../config/index.ts";
import type { Call, Flag } from "./command.ts";
import { textFlag } from "./command.ts";
import { CliError, EXIT, interruptedError, usageError } from "./exit-codes.ts";

export const CLIENT_FLAGS: Readonly<Record<string, Flag>> = {
  endpoint: { type: "string", placeholder: "URL", help: "server [AWS_ENDPOINT_URL, else http://127.0.0.1:4566]" },
  region: { type: "string", placeholder: "REGION", help: "region [AWS_REGION, else us-east-1]" },
  account: {
    type: "string",
    placeholder: "ID",
    help: "12-digit account [a 12-digit AWS_ACCESS_KEY_ID, else 000000000000]",
  },
};

export class QueueClient {
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;

  readonly #interrupted: AbortSignal;

  constructor(call: Pick<Call, "flags" | "environment" | "interrupted">) {
    const { flags, environment } = call;
    this.#interrupted = call.interrupted;
    const found = clientEnvironment(environment);
    this.endpoint = (textFlag({ flags }, "endpoint") ?? found.endpoint).replace(/\/+$/, "");
    this.region = textFlag({ flags }, "region") ?? found.region;
    this.account = textFlag({ flags }, "account") ?? found.account;
    if (!/^https?:\/\//.test(this.endpoint) || !URL.canParse(this.endpoint)) {
      throw usageError(`The endpoint "${this.endpoint}" is not an http or https URL, such as http://127.0.0.1:4566.`);
    }
    if (!/^\d{12}$/.test(this.account)) throw usageError(`The account "${this.account}" is not 12 digits.`);
  }

  urlOf(name: string): string {
    return `${this.endpoint}/${this.account}/${name}`;
  }

  arnOf(name: string): string {
    return `arn:aws:sqs:${this.region}:${this.account}:${name}`;
  }

  /** One SQS action. Throws a CliError for a refusal (exit 1) and for a server that does not answer (exit 5). */
  async call<Output>(action: string, input: object): Promise<Output> {
    const response = await this.#fetch(`${this.endpoint}/`, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `AmazonSQS.${action}`,
        authorization:
          `AWS4-HMAC-SHA256 Credential=${this.account}/20260101/${this.region}/sqs/aws4_request, ` +
          `SignedHeaders=host, Signature=${"0".repeat(64)}`,
      },
      body: JSON.stringify(input),
    });
    const answer = await this.#read(response);
    if (response.ok) return answer as Output;
    const { __type = "Unknown", message = `HTTP ${response.status}` } = answer as { __type?: string; message?: string };
    const code = __type.split("#").at(-1) as string;
    throw new CliError(EXIT.refused, code, code === "QueueDoesNotExist" ? this.#noQueue(input) : message);
  }

  /** AWS's own sentence names nothing; a typo or the wrong region is the usual reason. */
  #noQueue(input: { QueueUrl?: string }): string {
    const where = `account ${this.account}, region ${this.region}`;
    const name = input.QueueUrl?.split("/").at(-1);
    return `There is no queue${name === undefined ? " of that name" : ` "${name}"`} in ${where}. See "millpond queue ls".`;
  }

  /** GET of the admin API. */
  async admin<Output>(path: string): Promise<Output> {
    const response = await this.#fetch(`${this.endpoint}${path}`, { method: "GET" });
    const answer = await this.#read(response);
    if (response.ok) return answer as Output;
    const { error = "Unknown", message = `HTTP ${response.status}` } = answer as { error?: string; message?: string };
    throw new CliError(EXIT.refused, error, message);
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, { ...init, signal: this.#interrupted });
    } catch (error) {
      if (this.#interrupted.aborted) throw interruptedError();
      const cause = (error as Error).cause as { code?: string; message?: string } | undefined;
      const why = cause?.code ?? cause?.message ?? (error as Error).message;
      throw new CliError(
        EXIT.unreachable,
        "Unreachable",
        `No server answers at ${this.endpoint} (${why}). Start one with "millpond serve", or name another with --endpoint.`,
      );
    }
  }

  async #read(response: Response): Promise<unknown> {
    const text = await response.text();
    try {
      return JSON.parse(text === "" ? "{}" : text);
    } catch {
      throw new CliError(
        EXIT.unreachable,
        "NotMillpond",
        `${this.endpoint} answered HTTP ${response.status} with something that is not JSON; is it a Millpond server?`,
      );
    }
  }
}
