// What one operation's file holds: a function from typed input to a plan, that is the command to execute and how its
// answer becomes the operation's output. A refusal instead of a plan ends the request before the engine sees it.

import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import { accept } from "../../base/result.ts";
import type { AnswerOf, Command, EntryResult } from "../../engine/command.ts";
import type { Refusal } from "../../engine/refusal.ts";
import type { Call } from "./call.ts";
import type { HttpBinding, InputOf, OperationModel, OutputOf, Structure } from "./model.ts";

/** A service's operations as its generated model has them. */
export type Models = Record<string, OperationModel>;
export type NameIn<Service extends Models> = keyof Service & string;
export type InputIn<Service extends Models, Name extends NameIn<Service>> = InputOf<Service[Name]["input"]>;
export type OutputIn<Service extends Models, Name extends NameIn<Service>> = Service[Name] extends {
  output: infer Output;
}
  ? OutputOf<Output>
  : NoOutput;

type NoOutput = Record<string, never>;
type EntryValue<Asked extends Command> =
  AnswerOf<Asked["kind"]> extends { entries: EntryResult<infer Value>[] } ? Value : never;

export type Plan<Output extends object = object> =
  | {
      command: Command;
      /** Called with the answer to exactly this command. */
      toOutput: (answer: never) => Result<Output, Refusal>;
    }
  /** Nothing needs to be asked. */
  | { output: Output };

export interface Operation {
  name: string;
  input: Structure;
  /** Absent when the operation answers with nothing. */
  output?: Structure;
  /** REST services only. */
  http?: HttpBinding;
  plan: (input: never, call: Call) => Result<Plan, Refusal>;
}

/** What the files of one service's operations are written with: names, inputs and outputs are the model's. */
export function operationsOf<Service extends Models>(models: Service) {
  return function operation<Name extends NameIn<Service>>(
    name: Name,
    plan: (input: InputIn<Service, Name>, call: Call) => Result<Plan<OutputIn<Service, Name>>, Refusal>,
  ): Operation {
    const { input, output, http } = models[name] as OperationModel;
    // Never: comparing the two types is more than the compiler is willing to do.
    const made: Operation = { name, input, plan: plan as never };
    if (output !== undefined) made.output = output;
    if (http !== undefined) made.http = http;
    return made;
  };
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

/** A plan that asks nobody. */
export function answer<Output extends object>(output: Output): Result<Plan<Output>, Refusal> {
  return accept({ output });
}

export function noOutput(): NoOutput {
  return {};
}
