// STS on the wire, as far as tools ask before they begin (Terraform, `aws sts get-caller-identity`): Query, and the one
// question who one is. Nothing is assumed or handed out, since nothing is checked.

import { queryDialect } from "../protocol/aws-query.ts";
import { errorTable } from "../protocol/error-table.ts";
import { operationsByName, type Service } from "../protocol/service.ts";
import { getCallerIdentity } from "./get-caller-identity.ts";
import { API_VERSION, XML_NAMESPACE } from "./model.ts";

export const sts = {
  name: "sts",
  operations: operationsByName({ GetCallerIdentity: getCallerIdentity }),
  query: queryDialect({
    version: API_VERSION,
    xmlNamespace: XML_NAMESPACE,
    errors: errorTable({}),
    unknownAction: (action) => `Could not find operation ${action} for version ${API_VERSION}`,
  }),
} satisfies Service;
