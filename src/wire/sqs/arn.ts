// The form of a queue's ARN in the move-task operations. Whether such a queue exists is the engine's to say.

import type { Refusal } from "../../engine/refusal.ts";
import { invalidParameter } from "../../engine/refusal.ts";

const ARN = /^arn:[^:]+:[^:]+:[^:]*:[^:]*:[^:]+/;

export function checkArn(arn: string, parameter: string): Refusal | undefined {
  if (ARN.test(arn)) return undefined;
  const format = "arn:<partition>:<service>:<region>:<account-id>:<resource-id>";
  return invalidParameter(`You must use this format to specify the ${parameter}: ${format}`);
}
