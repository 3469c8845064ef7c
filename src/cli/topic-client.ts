// The SNS client of the command line: AWS Query over fetch, with the answers as JSON.

import type { Call } from "./command.ts";
import { CliError, EXIT } from "./exit-codes.ts";
import { ServiceClient } from "./service-client.ts";

/** Values as the protocol numbers them: a list is `member`s, a map is `entry`s. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** A map in an answer. */
export type Pairs = { key: string; value: string }[];

export class TopicClient extends ServiceClient {
  constructor(call: Pick<Call, "flags" | "environment" | "interrupted">) {
    super(call, "sns");
  }

  /** One SNS action. Throws a CliError for a refusal (exit 1) and for a server that does not answer (exit 5). */
  async call<Output>(action: string, fields: Fields): Promise<Output> {
    const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const response = await this.fetch("/", {
      method: "POST",
      headers: { accept: "application/json", authorization: this.authorization },
      body: new URLSearchParams([["Action", action], ["Version", "2010-03-31"], ...given]),
    });
    const answer = (await this.read(response)) as Record<string, Record<string, Output>>;
    if (response.ok) return answer[`${action}Response`]?.[`${action}Result`] as Output;
    const { Code = "Unknown", Message = `HTTP ${response.status}` } = (answer.Error ?? {}) as Record<string, string>;
    throw new CliError(EXIT.refused, Code, Code === "NotFound" ? this.#noTopic(fields) : Message);
  }

  /** AWS's own sentence names nothing. */
  #noTopic({ TopicArn }: Fields): string {
    const name = TopicArn?.split(":").at(-1) ?? "";
    return `There is no topic "${name}" in ${this.where}. See "millpond topic ls".`;
  }
}

/** Fields of a map: `Attributes.entry.1.key` and so on. */
export function mapFields(name: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [index, [key, value]] of Object.entries(values).entries()) {
    fields[`${name}.entry.${index + 1}.key`] = key;
    fields[`${name}.entry.${index + 1}.value`] = value;
  }
  return fields;
}
