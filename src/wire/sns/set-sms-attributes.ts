// SetSMSAttributes: settings for text messages, which nothing here reads.

import { ask, noOutput, operation } from "./operation.ts";

export const setSmsAttributes = operation("SetSMSAttributes", (input, call) =>
  ask({ kind: "setSmsAttributes", scope: call.scope, attributes: input.attributes ?? {} }, noOutput),
);
