// SNS's actions for things that end at somebody else's service: mobile push, the sandbox of text messages, and data
// protection policies, which AWS gives to no new customer. Each says so.

import { refuse } from "../../base/result.ts";
import { refusal } from "../../engine/refusal.ts";
import type { Operation } from "../protocol/operation.ts";
import type { OperationName } from "./operation.ts";
import { operation } from "./operation.ts";

export function notOffered(name: OperationName): Operation {
  return operation(name, () => refuse(refusal("InvalidAction", `The action ${name} is not offered by this server`)));
}
