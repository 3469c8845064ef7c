// What the client commands have in common: which server they speak to, as whom, and what happens when it does not
// answer. Requests are not signed, since Millpond checks no signatures; the credential scope still travels, because
// service, account and region come from it.

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

export class ServiceClient {
  readonly service: string;
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;

  readonly #interrupted: AbortSignal;

  /** `service` as signatures name it: `sqs`. */
  constructor(call: Pick<Call, "flags" | "environment" | "interrupted">, service: string) {
    this.service = service;
    const { flags, environment } = call;
    this.#interrupted = call.interrupted;
    const found = clientEnvironment(environment, service.toUpperCase());
    this.endpoint = (textFlag({ flags }, "endpoint") ?? found.endpoint).replace(/\/+$/, "");
    this.region = textFlag({ flags }, "region") ?? found.region;
    this.account = textFlag({ flags }, "account") ?? found.account;
    if (!/^https?:\/\//.test(this.endpoint) || !URL.canParse(this.endpoint)) {
      throw usageError(`The endpoint "${this.endpoint}" is not an http or https URL, such as http://127.0.0.1:4566.`);
    }
    if (!/^\d{12}$/.test(this.account)) throw usageError(`The account "${this.account}" is not 12 digits.`);
  }

  /** ARN of something of this service in the caller's account and region. */
  arnOf(name: string, service = this.service): string {
    return `arn:aws:${service}:${this.region}:${this.account}:${name}`;
  }

  /** GET of the admin API. */
  async admin<Output>(path: string): Promise<Output> {
    const response = await this.fetch(path, { method: "GET" });
    const answer = await this.read(response);
    if (response.ok) return answer as Output;
    const { error = "Unknown", message = `HTTP ${response.status}` } = answer as { error?: string; message?: string };
    throw new CliError(EXIT.refused, error, message);
  }

  /** For people who look at the wrong place. */
  protected get where(): string {
    return `account ${this.account}, region ${this.region}`;
  }

  protected get authorization(): string {
    return (
      `AWS4-HMAC-SHA256 Credential=${this.account}/20260101/${this.region}/${this.service}/aws4_request, ` +
      `SignedHeaders=host, Signature=${"0".repeat(64)}`
    );
  }

  /** Throws a CliError for a server that does not answer (exit 5). */
  protected async fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${this.endpoint}${path}`, { ...init, signal: this.#interrupted });
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

  protected async read(response: Response): Promise<unknown> {
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
