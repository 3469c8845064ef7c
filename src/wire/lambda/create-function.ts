// CreateFunction: the code comes along as a zip, and the function is there when it is answered.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import {
  FUNCTION_MEMORY_MB_MIN,
  FUNCTION_STORAGE_MB_MIN,
  FUNCTION_TIMEOUT_MS_DEFAULT,
} from "../../engine/function-limits.ts";
import { type Refusal, refusal } from "../../engine/refusal.ts";
import { needed } from "./check.ts";
import { configurationOf } from "./describe-function.ts";
import { functionOf } from "./function-of.ts";
import { readSettings, unsupported } from "./function-settings.ts";
import { ask, operation } from "./operation.ts";

export const createFunction = operation("CreateFunction", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const role = needed(input.Role, "role");
  if (!role.ok) return role;
  const zip = readCode(input.Code ?? {}, input.PackageType);
  if (!zip.ok) return zip;
  const given = readSettings(input);
  if (!given.ok) return given;
  const { runtime, handler } = given.value;
  if (runtime === undefined || handler === undefined) {
    const text = "Runtime and Handler are mandatory parameters for functions created with deployment packages.";
    return refuse(refusal("InvalidParameterValueException", text));
  }
  return ask(
    {
      kind: "createFunction",
      function: named.value.function,
      zip: zip.value,
      settings: {
        description: "",
        environment: {},
        timeoutMs: FUNCTION_TIMEOUT_MS_DEFAULT,
        memoryMb: FUNCTION_MEMORY_MB_MIN,
        architecture: "x86_64",
        storageMb: FUNCTION_STORAGE_MB_MIN,
        tracing: "PassThrough",
        ...given.value,
        runtime,
        handler,
        role: role.value,
      },
      tags: { ...input.Tags },
      publish: input.Publish ?? false,
    },
    configurationOf,
  );
});

export interface CodeInput {
  ZipFile?: Uint8Array;
  S3Bucket?: string;
  S3Key?: string;
  ImageUri?: string;
}

export function readCode(code: CodeInput, packageType?: string): Result<Uint8Array, Refusal> {
  if (packageType === "Image" || code.ImageUri !== undefined) return refuse(unsupported("container images"));
  if (code.S3Bucket !== undefined || code.S3Key !== undefined) {
    return refuse(unsupported("code from S3: send it along as ZipFile, up to 50 MB"));
  }
  if (code.ZipFile === undefined) {
    return refuse(refusal("InvalidParameterValueException", "Please provide a source for function code."));
  }
  if (code.ZipFile.length > 0) return accept(code.ZipFile);
  return refuse(refusal("InvalidParameterValueException", "Uploaded file must be a non-empty zip"));
}
