// The SQS client of the command line: AWS JSON over fetch, signed where AWS itself answers.

import type { Call } from "./command.ts";
import { CliError, EXIT, usageError } from "./exit-codes.ts";
import { ServiceClient } from "./service-client.ts";
import { isAwsEndpoint, type Keys, keysIn, signed } from "./sign-request.ts";

export { CLIENT_FLAGS } from "./service-client.ts";

export class QueueClient extends ServiceClient {
  /** AWS's own endpoint: no Millpond, and requests must be signed. */
  readonly isAws: boolean;
  readonly #keys: Keys | undefined;

  constructor(call: Pick<Call, "flags" | "environment" | "interrupted">) {
    super(call, "sqs");
    this.isAws = isAwsEndpoint(this.endpoint);
    this.#keys = keysIn(call.environment);
  }

  urlOf(name: string): string {
    return `${this.endpoint}/${this.account}/${name}`;
  }

  /** One SQS action. Throws a CliError for a refusal (exit 1) and for a server that does not answer (exit 5). */
  async call<Output>(action: string, input: object): Promise<Output> {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${action}` };
    const body = JSON.stringify(input);
    const response = await this.fetch("/", { method: "POST", headers: this.#authorized(headers, body), body });
    const answer = await this.read(response);
    if (response.ok) return answer as Output;
    const { __type = "Unknown", message = `HTTP ${response.status}` } = answer as { __type?: string; message?: string };
    const code = __type.split("#").at(-1) as string;
    throw new CliError(EXIT.refused, code, code === "QueueDoesNotExist" ? this.#noQueue(input) : message);
  }

  #authorized(headers: Record<string, string>, body: string): Record<string, string> {
    if (!this.isAws) return { ...headers, authorization: this.authorization };
    if (this.#keys === undefined) {
      throw usageError("AWS asks for AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.");
    }
    const { region, service } = this;
    return signed(`${this.endpoint}/`, headers, body, { region, service, keys: this.#keys, nowMs: Date.now() });
  }

  /** AWS's own sentence names nothing; a typo or the wrong region is the usual reason. */
  #noQueue(input: { QueueUrl?: string }): string {
    const name = input.QueueUrl?.split("/").at(-1);
    return `There is no queue${name === undefined ? " of that name" : ` "${name}"`} in ${this.where}. See "millpond queue ls".`;
  }
}
