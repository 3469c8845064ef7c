// The ARN of whoever calls. Access keys name no user here, so it is the account.

import type { Call } from "../protocol/call.ts";

export function principalOf({ scope }: Call): string {
  return `arn:aws:iam::${scope.account}:root`;
}
