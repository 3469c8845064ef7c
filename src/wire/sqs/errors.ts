// SQS's refusals on the wire. Codes and statuses agree with AWS's model; errors.test.ts holds them against it.

import type { QueueRefusalCode } from "../../engine/refusal.ts";
import { SERVICE_NAMESPACE } from "../models/sqs.ts";
import type { ErrorSpelling } from "../protocol/error-table.ts";
import { errorTable, spelled } from "../protocol/error-table.ts";

const QUERY_PREFIX = "AWS.SimpleQueueService.";

const own: Record<QueueRefusalCode, ErrorSpelling> = {
  BatchEntryIdsNotDistinct: prefixed("BatchEntryIdsNotDistinct", 400),
  BatchRequestTooLong: prefixed("BatchRequestTooLong", 400),
  EmptyBatchRequest: prefixed("EmptyBatchRequest", 400),
  InvalidBatchEntryId: prefixed("InvalidBatchEntryId", 400),
  TooManyEntriesInBatchRequest: prefixed("TooManyEntriesInBatchRequest", 400),
  MessageNotInflight: prefixed("MessageNotInflight", 400),
  UnsupportedOperation: prefixed("UnsupportedOperation", 400),
  QueueDeletedRecently: prefixed("QueueDeletedRecently", 400),
  QueueDoesNotExist: modelled("QueueDoesNotExist", `${QUERY_PREFIX}NonExistentQueue`, 400),
  PurgeQueueInProgress: prefixed("PurgeQueueInProgress", 403),
  QueueNameExists: modelled("QueueNameExists", "QueueAlreadyExists", 400),
  OverLimit: modelled("OverLimit", "OverLimit", 403),
  RequestThrottled: modelled("RequestThrottled", "RequestThrottled", 403),
  InvalidAddress: modelled("InvalidAddress", "InvalidAddress", 404),
  ReceiptHandleIsInvalid: modelled("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404),
  ResourceNotFoundException: modelled("ResourceNotFoundException", "ResourceNotFoundException", 404),
  InvalidAttributeName: modelled("InvalidAttributeName", "InvalidAttributeName", 400),
  InvalidAttributeValue: modelled("InvalidAttributeValue", "InvalidAttributeValue", 400),
  InvalidMessageContents: modelled("InvalidMessageContents", "InvalidMessageContents", 400),
};

/** The one text that differs between the protocols: old clients compare the longer one. */
export const errors = errorTable(own, ({ code, message }) =>
  code === "QueueDoesNotExist" ? message.replace("does not exist.", "does not exist for this wsdl version.") : message,
);

function prefixed(code: QueueRefusalCode, status: number): ErrorSpelling {
  return modelled(code, QUERY_PREFIX + code, status);
}

function modelled(shape: QueueRefusalCode, queryCode: string, status: number): ErrorSpelling {
  return spelled(`${SERVICE_NAMESPACE}#${shape}`, queryCode, status);
}
