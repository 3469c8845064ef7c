// A function as the admin API shows it. Keys only ever get added.

import type { FunctionRecord } from "../engine/command.ts";
import type { FunctionCounts } from "../functions/index.ts";
import { functionArn } from "../host/index.ts";

export interface PresentedFunction {
  name: string;
  arn: string;
  account: string;
  region: string;
  runtime: string;
  handler: string;
  /** `zip`, `file` or `http`. */
  code: string;
  timeoutSeconds: number;
  memoryMb: number;
  reservedConcurrency?: number;
  modifiedAtMs: number;
  /** Since the server started; of $LATEST. */
  counts: FunctionCounts;
}

const NOTHING_YET: FunctionCounts = {
  invocations: 0,
  errors: 0,
  throttles: 0,
  coldStarts: 0,
  reloads: 0,
  running: 0,
  idleProcesses: 0,
};

export function presentFunction(record: FunctionRecord, counts: FunctionCounts = NOTHING_YET): PresentedFunction {
  const { account, region, name } = record.function;
  const { runtime, handler, form, timeoutMs, memoryMb, reservedConcurrency, modifiedAtMs } = record;
  return {
    name,
    arn: functionArn(record.function),
    account,
    region,
    runtime,
    handler,
    code: form.is,
    timeoutSeconds: timeoutMs / 1000,
    memoryMb,
    ...(reservedConcurrency === undefined ? {} : { reservedConcurrency }),
    modifiedAtMs,
    counts,
  };
}
