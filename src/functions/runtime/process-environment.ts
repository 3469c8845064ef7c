// The environment a function's process starts with: the machine's few, then the function's own, then what Lambda
// reserves. Nothing else of the server's environment reaches a function.

import { createHash } from "node:crypto";
import type { FunctionSpec } from "./function-spec.ts";

/** What functions are told about the server they run under. */
export interface FunctionSurroundings {
  /** Where the functions' SDKs send their calls: this server. */
  endpointUrl: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** PATH, HOME and whatever else of the machine programs need. */
  machineEnvironment: Readonly<Record<string, string>>;
}

const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

export interface ProcessFacts {
  taskRoot: string;
  /** `_HANDLER`. */
  handler: string;
  /** `nodejs20.x`, as recorded. */
  runtime: string;
  /** Host and port. */
  runtimeApi: string;
  logStream: string;
}

export function processEnvironment(
  spec: FunctionSpec,
  surroundings: FunctionSurroundings,
  facts: ProcessFacts,
): Record<string, string> {
  const region = spec.arn.split(":")[3] ?? "";
  return {
    PATH: FALLBACK_PATH,
    LANG: "en_US.UTF-8",
    TZ: "UTC",
    // Functions come here with whatever they ask for; their own setting may say otherwise.
    AWS_ENDPOINT_URL: surroundings.endpointUrl,
    AWS_ACCESS_KEY_ID: surroundings.accessKeyId,
    AWS_SECRET_ACCESS_KEY: surroundings.secretAccessKey,
    ...(surroundings.sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: surroundings.sessionToken }),
    ...surroundings.machineEnvironment,
    ...spec.environment,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: `AWS_Lambda_${facts.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: spec.name,
    AWS_LAMBDA_FUNCTION_VERSION: spec.version,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${spec.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: facts.logStream,
    AWS_LAMBDA_RUNTIME_API: facts.runtimeApi,
    LAMBDA_TASK_ROOT: facts.taskRoot,
    LAMBDA_RUNTIME_DIR: facts.taskRoot,
    _HANDLER: facts.handler,
  };
}

/** `2026/05/01/[$LATEST]8f3a...`: as Lambda names it, one a process. */
export function logStreamName(nowMs: number, version: string, unique: string): string {
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll("-", "/");
  return `${day}/[${version}]${createHash("md5").update(`${nowMs} ${unique}`).digest("hex")}`;
}
