// What Lambda's operations are written with.

import { operations } from "../models/lambda.ts";
import type { NameIn } from "../protocol/operation.ts";
import { operationsOf } from "../protocol/operation.ts";

export { answer, ask, noOutput } from "../protocol/operation.ts";

export type OperationName = NameIn<typeof operations>;

export const operation = operationsOf(operations);
