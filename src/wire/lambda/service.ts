// Lambda on the wire: REST-JSON.

import { restDialect } from "../protocol/rest-json.ts";
import type { Service } from "../protocol/service.ts";
import { errors } from "./errors.ts";
import { lambdaOperations } from "./registry.ts";

export const lambda = {
  name: "lambda",
  operations: lambdaOperations,
  rest: restDialect(lambdaOperations, errors),
} satisfies Service;
