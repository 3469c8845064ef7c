// A declared function: a file on this machine that is run where it is, and run anew when it changes; or something that
// others run, behind a URL.

import { extname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FunctionRecord, GivenSettings } from "../engine/command.ts";
import { FUNCTION_STORAGE_MB_MIN } from "../engine/function-limits.ts";
import { carryOut, lookFor } from "./carry-out.ts";
import type { CodeDeclaration, FunctionDeclaration } from "./project.ts";
import type { Change, DeclareWorld } from "./reconcile.ts";

type DeclaredSettings = Pick<GivenSettings, "runtime" | "handler" | "environment" | "timeoutMs" | "memoryMb">;

export async function declareFunction(
  world: DeclareWorld,
  declared: FunctionDeclaration,
): Promise<Change["how"] | undefined> {
  const key = { ...world.scope, name: declared.name };
  const path = `functions.${declared.name}`;
  const settings = settingsOf(declared);
  const runFrom = declared.code;
  const found = await lookFor<"getFunction">(world, { kind: "getFunction", function: key });
  if (found === undefined) {
    await carryOut<"createFunction">(world, path, {
      kind: "createFunction",
      function: key,
      runFrom,
      settings: {
        ...settings,
        role: `arn:aws:iam::${world.scope.account}:role/millpond-dev`,
        description: "",
        architecture: process.arch === "arm64" ? "arm64" : "x86_64",
        storageMb: FUNCTION_STORAGE_MB_MIN,
        tracing: "PassThrough",
      },
      tags: {},
      publish: false,
    });
    if (declared.concurrency !== undefined) await reserve(world, path, declared);
    return "created";
  }
  const { record } = found;
  let isChanged = false;
  if (!isDeepStrictEqual(record.form, runFrom)) {
    const command = { kind: "updateFunctionCode", function: key, runFrom, publish: false, dryRun: false } as const;
    await carryOut<"updateFunctionCode">(world, path, command);
    isChanged = true;
  }
  if (!hasSettings(record, settings)) {
    const command = { kind: "updateFunctionSettings", function: key, changes: settings } as const;
    await carryOut<"updateFunctionSettings">(world, path, command);
    isChanged = true;
  }
  if (record.reservedConcurrency !== declared.concurrency) {
    await reserve(world, path, declared);
    isChanged = true;
  }
  return isChanged ? "updated" : undefined;
}

async function reserve(world: DeclareWorld, path: string, { name, concurrency }: FunctionDeclaration): Promise<void> {
  await carryOut<"reserveConcurrency">(world, path, {
    kind: "reserveConcurrency",
    function: { ...world.scope, name },
    ...(concurrency === undefined ? {} : { reservedConcurrency: concurrency }),
  });
}

function settingsOf(declared: FunctionDeclaration): DeclaredSettings {
  const { code, handler, environment, timeoutMs, memoryMb } = declared;
  return { runtime: runtimeOf(code), handler, environment, timeoutMs, memoryMb };
}

/** To be shown: a file runs on whatever `node` or `python3` the machine has. */
function runtimeOf(code: CodeDeclaration): string {
  if (code.is === "http") return "provided";
  return extname(code.path) === ".py" ? "python3.12" : "nodejs20.x";
}

function hasSettings(record: FunctionRecord, settings: DeclaredSettings): boolean {
  return Object.entries(settings).every(([name, value]) =>
    isDeepStrictEqual(record[name as keyof DeclaredSettings], value),
  );
}
