// The SQS client of the command line: AWS JSON over fetch.

import type { Call } from "./command.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { ServiceClient } from "./service-client.ts";

export { CLIENT_FLAGS } from "./service-client.ts";

export class QueueClient extends ServiceClient {
  constructor(call: Pick<Call, "flags" | "environment" | "interrupted">) {
    super(call, "sqs");
  }

  urlOf(name: string): string {
    return `${this.endpoint}/${this.account}/${name}`;
  }

  /** One SQS action. Throws a CliError for a refusal (exit 1) and for a server that does not answer (exit 5). */
  async call<Output>(action: string, input: object): Promise<Output> {
    const response = await this.fetch("/", {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `AmazonSQS.${action}`,
        authorization: this.authorization,
      },
      body: JSON.stringify(input),
    });
    const answer = await this.read(response);
    if (response.ok) return answer as Output;
    const { __type = "Unknown", message = `HTTP ${response.status}` } = answer as { __type?: string; message?: string };
    const code = __type.split("#").at(-1) as string;
    throw new CliError(EXIT.refused, code, code === "QueueDoesNotExist" ? this.#noQueue(input) : message);
  }

  /** AWS's own sentence names nothing; a typo or the wrong region is the usual reason. */
  #noQueue(input: { QueueUrl?: string }): string {
    const name = input.QueueUrl?.split("/").at(-1);
    return `There is no queue${name === undefined ? " of that name" : ` "${name}"`} in ${this.where}. See "millpond queue ls".`;
  }
}
