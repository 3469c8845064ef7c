// GetSMSAttributes: what was set for text messages, all or the names asked for.

import { ask, operation } from "./operation.ts";

export const getSmsAttributes = operation("GetSMSAttributes", (input, call) => {
  const { attributes: names = [] } = input;
  return ask({ kind: "getSmsAttributes", scope: call.scope }, ({ attributes }) => ({
    attributes:
      names.length === 0
        ? attributes
        : Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name))),
  }));
});
