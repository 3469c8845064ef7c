// SQS on the wire: JSON for current clients, Query for older ones and for requests to a queue's own path.

import { API_VERSION, TARGET_PREFIX } from "../models/sqs.ts";
import { jsonDialect } from "../protocol/aws-json.ts";
import { queryDialect } from "../protocol/aws-query.ts";
import type { Service } from "../protocol/service.ts";
import { errors } from "./errors.ts";
import { sqsJsonWriters } from "./json-answers.ts";
import { sqsOperations } from "./registry.ts";

export const sqs = {
  name: "sqs",
  operations: sqsOperations,
  json: jsonDialect(TARGET_PREFIX, errors, sqsJsonWriters),
  query: queryDialect({
    version: API_VERSION,
    // Not of the host that the model names: this one is older than it, and clients look for it.
    xmlNamespace: `http://queue.amazonaws.com/doc/${API_VERSION}/`,
    errors,
    hasErrorDetail: true,
    // With a small letter in this form alone.
    plainNames: { QueueUrls: "queueUrls", Messages: "messages" },
    unknownAction: (action) => `The action ${action} is not valid for this endpoint.`,
    // These have no queue, and so no business on a queue's path.
    onlyAtRoot: new Set(["CreateQueue", "ListQueues"]),
  }),
} satisfies Service;
