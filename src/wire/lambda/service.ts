// Lambda on the wire: REST-JSON, with paths that begin with the date of an API version.

import { restDialect } from "../protocol/rest-json.ts";
import type { Service } from "../protocol/service.ts";
import { errors } from "./errors.ts";
import { lambdaOperations } from "./registry.ts";

export const lambda = {
  name: "lambda",
  operations: lambdaOperations,
  rest: restDialect(lambdaOperations, errors, /^\d{4}-\d{2}-\d{2}$/),
} satisfies Service;
