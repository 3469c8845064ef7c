// SNS on the wire: Query, which all its clients speak.

import { API_VERSION, XML_NAMESPACE } from "../models/sns.ts";
import { queryDialect } from "../protocol/aws-query.ts";
import type { Service } from "../protocol/service.ts";
import { errors } from "./errors.ts";
import { snsOperations } from "./registry.ts";

export const sns = {
  name: "sns",
  operations: snsOperations,
  query: queryDialect({
    version: API_VERSION,
    xmlNamespace: XML_NAMESPACE,
    errors,
    unknownAction: (action) => `Could not find operation ${action} for version ${API_VERSION}`,
  }),
} satisfies Service;
