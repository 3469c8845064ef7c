// What SQS's operations are written with.

import { operations } from "../models/sqs.ts";
import type { InputIn, NameIn } from "../protocol/operation.ts";
import { operationsOf } from "../protocol/operation.ts";

export { ask, askOne, noOutput, type Plan } from "../protocol/operation.ts";

export type OperationName = NameIn<typeof operations>;
export type OperationInput<Name extends OperationName> = InputIn<typeof operations, Name>;

export const operation = operationsOf(operations);
