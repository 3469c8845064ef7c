// What stories with Lambda functions need beside a stage: functions made anew, and mappings that have reached a state.

import { readFileSync } from "node:fs";
import {
  CreateEventSourceMappingCommand,
  type CreateEventSourceMappingCommandInput,
  CreateFunctionCommand,
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  GetEventSourceMappingCommand,
  type LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { makeZip } from "../tests/functions/make-zip.ts";
import { type Stage, sleep } from "./stage.ts";

export interface FunctionStage extends Stage {
  lambda: LambdaClient;
}

export interface FunctionChoices {
  /** Below `examples/`. */
  file: string;
  /** Whole seconds. */
  timeout: number;
  environment: Record<string, string>;
}

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 60_000;

/** Whatever an earlier run left under the name goes, its mappings too. */
export async function freshFunction({ lambda }: FunctionStage, name: string, choices: FunctionChoices): Promise<void> {
  const left = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName: name }));
  for (const { UUID } of left.EventSourceMappings ?? []) {
    await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
  }
  await lambda.send(new DeleteFunctionCommand({ FunctionName: name })).catch(() => undefined);
  const text = readFileSync(new URL(`../../examples/${choices.file}`, import.meta.url), "utf8");
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: name,
      Runtime: "nodejs20.x",
      Handler: "index.handler",
      Role: "arn:aws:iam::000000000000:role/examples",
      Timeout: choices.timeout,
      Environment: { Variables: choices.environment },
      Code: { ZipFile: makeZip([{ path: "index.mjs", text }]) },
    }),
  );
}

/** Answers the UUID of a mapping that is at work. */
export async function map(stage: FunctionStage, input: CreateEventSourceMappingCommandInput): Promise<string> {
  const { UUID } = await stage.lambda.send(new CreateEventSourceMappingCommand(input));
  await reached(stage, UUID as string, "Enabled");
  return UUID as string;
}

/** Resolves when it has come to it: switched off, nothing is under way any more. */
export async function switchMapping(stage: FunctionStage, UUID: string, Enabled: boolean): Promise<void> {
  await stage.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
  await reached(stage, UUID, Enabled ? "Enabled" : "Disabled");
}

/** Asks again and again; rejects after a minute. */
export async function until(stage: Stage, what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = stage.clock.nowMs() + PATIENCE_MS;
  while (!(await isSo())) {
    if (stage.clock.nowMs() > endMs) throw new Error(`It did not come to this: ${what}`);
    await sleep(stage, LOOK_EVERY_MS);
  }
}

async function reached(stage: FunctionStage, UUID: string, state: "Enabled" | "Disabled"): Promise<void> {
  await until(stage, `the mapping is ${state}`, async () => {
    const { State } = await stage.lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return State === state;
  });
}
