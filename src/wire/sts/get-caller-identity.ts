// GetCallerIdentity: which account the caller's access key stands for. There are no users here, so everybody is the
// account's root, whose id on AWS is the account's own.

import { answer, operationsOf } from "../protocol/operation.ts";
import { operations } from "./model.ts";

const operation = operationsOf(operations);

export const getCallerIdentity = operation("GetCallerIdentity", (_input, { account }) =>
  answer({ UserId: account, Account: account, Arn: `arn:aws:iam::${account}:root` }),
);
