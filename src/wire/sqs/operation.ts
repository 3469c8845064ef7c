// What one operation's file holds: a function from typed input to a plan, that is the command to execute and how its
// answer becomes the operation's output. A refusal instead of a plan ends the request before the engine sees it.

import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import { accept } from "../../base/result.ts";
import type { AnswerOf, Command, EntryResult } from "../../engine/command.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { operations } from "../models/sqs.ts";
import type { InputOf, OutputOf } from "../protocol/model.ts";
import type { Call } from "./call.ts";

export type OperationName = keyof typeof operations;

type Model<Name extends OperationName> = (typeof operations)[Name];
export type OperationInput<Name extends OperationName> = InputOf<Model<Name>["input"]>;
export type OperationOutput<Name extends OperationName> =
  Model<Name> extends { output: infer Output } ? OutputOf<Output> : NoOutput;
type NoOutput = Record<string, never>;
type EntryValue<Asked extends Command> =
  AnswerOf<Asked["kind"]> extends { entries: EntryResult<infer Value>[] } ? Value : never;

export interface Plan<Output extends object = object> {
  command: Command;
  /** Called with the answer to exactly this command. */
  toOutput: (answer: never) => Result<Output, Refusal>;
}

export type Planned<Name extends OperationName> = Result<Plan<OperationOutput<Name>>, Refusal>;

export interface Operation {
  name: OperationName;
  plan: (input: never, call: Call) => Result<Plan, Refusal>;
}

export function operation<Name extends OperationName>(
  name: Name,
  plan: (input: OperationInput<Name>, call: Call) => Planned<Name>,
): Operation {
  return { name, plan };
}

/** A plan whose answer always becomes an output. */
export function ask<Asked extends Command, Output extends object>(
  command: Asked,
  toOutput: (answer: AnswerOf<Asked["kind"]>) => Output,
): Result<Plan<Output>, Refusal> {
  return accept({ command, toOutput: (answer: AnswerOf<Asked["kind"]>) => accept(toOutput(answer)) });
}

/** A plan for the single form of a batch command: its one entry's refusal is the request's. */
export function askOne<Asked extends Command, Output extends object>(
  command: Asked,
  toOutput: (value: EntryValue<Asked>) => Output,
): Result<Plan<Output>, Refusal> {
  return accept({
    command,
    toOutput(answer: { entries: EntryResult<EntryValue<Asked>>[] }) {
      const entry = answer.entries[0];
      assert(entry !== undefined, "a batch command's answer has a result for each entry");
      return entry.ok ? accept(toOutput(entry.value)) : entry;
    },
  });
}

export function noOutput(): NoOutput {
  return {};
}
