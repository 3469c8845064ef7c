// A function's configuration as Lambda shows it. Functions are ready at once, so `State` is always Active.

import type { DescribedFunction } from "../../engine/command.ts";
import { functionArn } from "./function-name.ts";

/** ISO 8601 with the offset in digits: `2026-01-31T09:00:00.000+0000`. */
export function lambdaTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "+0000");
}

/** Behind the ARN is what the caller asked for; a version is shown by its number. */
export function configurationOf({ record, version, qualifier }: DescribedFunction) {
  const { form, environment, timeoutMs, deadLetterArn } = version;
  const key = record.function;
  return {
    FunctionName: key.name,
    FunctionArn: functionArn(key, qualifier),
    Runtime: version.runtime,
    Role: version.role,
    Handler: version.handler,
    CodeSize: form.is === "zip" ? form.bytes : 0,
    CodeSha256: form.is === "zip" ? form.sha256 : "",
    Description: version.description,
    Timeout: timeoutMs / 1000,
    MemorySize: version.memoryMb,
    LastModified: lambdaTime(version.modifiedAtMs),
    Version: version.version,
    DeadLetterConfig: deadLetterArn === undefined ? undefined : { TargetArn: deadLetterArn },
    Environment: Object.keys(environment).length === 0 ? undefined : { Variables: environment },
    TracingConfig: { Mode: version.tracing },
    RevisionId: version.revisionId,
    State: "Active",
    LastUpdateStatus: "Successful",
    PackageType: "Zip",
    Architectures: [version.architecture],
    EphemeralStorage: { Size: version.storageMb },
    SnapStart: { ApplyOn: "None", OptimizationStatus: "Off" },
    LoggingConfig: { LogFormat: "Text", LogGroup: `/aws/lambda/${key.name}` },
  };
}
