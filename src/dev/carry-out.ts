// Asks the host for something that a config file declares. A refusal names the declaration: the texts are AWS's and do
// not know the file.

import { Fault } from "../base/fault.ts";
import type { AnswerOf, CommandKind, CommandOf } from "../engine/command.ts";
import type { DeclareWorld } from "./reconcile.ts";

export async function carryOut<Kind extends CommandKind>(
  { host }: DeclareWorld,
  path: string,
  command: CommandOf<Kind>,
): Promise<AnswerOf<Kind>> {
  const outcome = await host.execute<Kind>(command);
  if (outcome.ok) return outcome.value;
  const { code, message } = outcome.refusal;
  throw new Fault("SettingInvalid", `${path} cannot be as declared: ${message} (${code})`);
}

/** Undefined when what is asked for is not there. */
export async function lookFor<Kind extends CommandKind>(
  { host }: DeclareWorld,
  command: CommandOf<Kind>,
): Promise<AnswerOf<Kind> | undefined> {
  const outcome = await host.execute<Kind>(command);
  return outcome.ok ? outcome.value : undefined;
}

export function queueArnOf({ scope }: DeclareWorld, name: string): string {
  return `arn:aws:sqs:${scope.region}:${scope.account}:${name}`;
}
