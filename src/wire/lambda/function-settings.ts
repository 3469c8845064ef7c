// The settings that CreateFunction and UpdateFunctionConfiguration take. What this server cannot do is refused; what
// makes no difference here (a network, an account's key) is taken and not kept.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { GivenSettings } from "../../engine/command.ts";
import {
  FUNCTION_MEMORY_MB_MAX,
  FUNCTION_MEMORY_MB_MIN,
  FUNCTION_STORAGE_MB_MAX,
  FUNCTION_STORAGE_MB_MIN,
  FUNCTION_TIMEOUT_MS_MAX,
} from "../../engine/function-limits.ts";
import { type Refusal, refusal } from "../../engine/refusal.ts";
import { refuseMismatch, refuseOther, refuseRange } from "./check.ts";

export interface SettingsInput {
  Runtime?: string;
  Role?: string;
  Handler?: string;
  Description?: string;
  Timeout?: number;
  MemorySize?: number;
  DeadLetterConfig?: { TargetArn?: string };
  Environment?: { Variables?: Record<string, string> };
  TracingConfig?: { Mode?: string };
  Layers?: string[];
  ImageConfig?: object;
  FileSystemConfigs?: object[];
  Architectures?: string[];
  EphemeralStorage?: { Size?: number };
  SnapStart?: { ApplyOn?: string };
}

/** AWS's own identifiers, whether or not this machine can run them: an invocation says when it cannot. */
const RUNTIME = /^(?:nodejs\d+\.x|python\d\.\d+|provided(?:\.\w+)?|java\d+(?:\.\w+)?|dotnet[\w.]+|ruby\d\.\d|go1\.x)$/;
const ROLE = /^arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role\/?[a-zA-Z_0-9+=,.@\-_/]+$/;
const HANDLER = /^[^\s]{1,128}$/;

/** Only what was given. */
export function readSettings(input: SettingsInput): Result<Partial<GivenSettings>, Refusal> {
  const problem = refuseValues(input) ?? refuseUnsupported(input);
  if (problem !== undefined) return refuse(problem);
  const settings: Partial<GivenSettings> = {};
  if (input.Runtime !== undefined) settings.runtime = input.Runtime;
  if (input.Role !== undefined) settings.role = input.Role;
  if (input.Handler !== undefined) settings.handler = input.Handler;
  if (input.Description !== undefined) settings.description = input.Description;
  if (input.Timeout !== undefined) settings.timeoutMs = input.Timeout * 1000;
  if (input.MemorySize !== undefined) settings.memoryMb = input.MemorySize;
  if (input.DeadLetterConfig !== undefined) settings.deadLetterArn = input.DeadLetterConfig.TargetArn ?? "";
  if (input.Environment !== undefined) settings.environment = { ...input.Environment.Variables };
  if (input.TracingConfig?.Mode !== undefined) settings.tracing = input.TracingConfig.Mode;
  if (input.Architectures?.[0] !== undefined) settings.architecture = input.Architectures[0];
  if (input.EphemeralStorage?.Size !== undefined) settings.storageMb = input.EphemeralStorage.Size;
  return accept(settings);
}

function refuseValues(input: SettingsInput): Refusal | undefined {
  const { Runtime: runtime } = input;
  if (runtime !== undefined && !RUNTIME.test(runtime)) {
    const text = `Value ${runtime} at 'runtime' failed to satisfy constraint: Member must satisfy regular expression pattern: ${RUNTIME.source}`;
    return refusal("InvalidParameterValueException", text);
  }
  return (
    refuseMismatch(input.Role, "role", ROLE) ??
    refuseMismatch(input.Handler, "handler", HANDLER) ??
    refuseRange(input.Timeout, "timeout", 1, FUNCTION_TIMEOUT_MS_MAX / 1000) ??
    refuseRange(input.MemorySize, "memorySize", FUNCTION_MEMORY_MB_MIN, FUNCTION_MEMORY_MB_MAX) ??
    refuseRange(
      input.EphemeralStorage?.Size,
      "ephemeralStorage.size",
      FUNCTION_STORAGE_MB_MIN,
      FUNCTION_STORAGE_MB_MAX,
    ) ??
    refuseOther(input.TracingConfig?.Mode, "tracingConfig.mode", ["Active", "PassThrough"]) ??
    refuseOther(input.Architectures?.[0], "architectures", ["x86_64", "arm64"])
  );
}

function refuseUnsupported(input: SettingsInput): Refusal | undefined {
  if ((input.Layers?.length ?? 0) > 0) return unsupported("layers: put what they hold into the zip");
  if (input.ImageConfig !== undefined) return unsupported("container images");
  if ((input.FileSystemConfigs?.length ?? 0) > 0) return unsupported("file systems");
  return undefined;
}

export function unsupported(what: string): Refusal {
  return refusal("InvalidParameterValueException", `This server does not offer ${what}.`);
}
