// How each refusal is spelled on the wire, once: the JSON type with its namespace, the code that the Query protocol
// and batch entries use, the HTTP status and whose fault it is. Modelled codes and statuses agree with AWS's model
// (error-table.test.ts holds them against wire/models); the common ones follow the API reference, "Common errors".

import type { Refusal, RefusalCode } from "../../engine/refusal.ts";

export interface ErrorSpelling {
  /** The body's `__type` in the JSON protocol. */
  jsonType: string;
  queryCode: string;
  status: number;
  fault: "Sender" | "Receiver";
}

const MODELLED = "com.amazonaws.sqs#";
const COMMON = "com.amazon.coral.service#";
const QUERY_PREFIX = "AWS.SimpleQueueService.";

const table: Record<RefusalCode, ErrorSpelling> = {
  BatchEntryIdsNotDistinct: modelled("BatchEntryIdsNotDistinct", `${QUERY_PREFIX}BatchEntryIdsNotDistinct`, 400),
  BatchRequestTooLong: modelled("BatchRequestTooLong", `${QUERY_PREFIX}BatchRequestTooLong`, 400),
  EmptyBatchRequest: modelled("EmptyBatchRequest", `${QUERY_PREFIX}EmptyBatchRequest`, 400),
  InvalidBatchEntryId: modelled("InvalidBatchEntryId", `${QUERY_PREFIX}InvalidBatchEntryId`, 400),
  TooManyEntriesInBatchRequest: modelled(
    "TooManyEntriesInBatchRequest",
    `${QUERY_PREFIX}TooManyEntriesInBatchRequest`,
    400,
  ),
  MessageNotInflight: modelled("MessageNotInflight", `${QUERY_PREFIX}MessageNotInflight`, 400),
  UnsupportedOperation: modelled("UnsupportedOperation", `${QUERY_PREFIX}UnsupportedOperation`, 400),
  QueueDeletedRecently: modelled("QueueDeletedRecently", `${QUERY_PREFIX}QueueDeletedRecently`, 400),
  QueueDoesNotExist: modelled("QueueDoesNotExist", `${QUERY_PREFIX}NonExistentQueue`, 400),
  PurgeQueueInProgress: modelled("PurgeQueueInProgress", `${QUERY_PREFIX}PurgeQueueInProgress`, 403),
  QueueNameExists: modelled("QueueNameExists", "QueueAlreadyExists", 400),
  OverLimit: modelled("OverLimit", "OverLimit", 403),
  RequestThrottled: modelled("RequestThrottled", "RequestThrottled", 403),
  InvalidAddress: modelled("InvalidAddress", "InvalidAddress", 404),
  ReceiptHandleIsInvalid: modelled("ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404),
  ResourceNotFoundException: modelled("ResourceNotFoundException", "ResourceNotFoundException", 404),
  InvalidAttributeName: modelled("InvalidAttributeName", "InvalidAttributeName", 400),
  InvalidAttributeValue: modelled("InvalidAttributeValue", "InvalidAttributeValue", 400),
  InvalidMessageContents: modelled("InvalidMessageContents", "InvalidMessageContents", 400),
  InvalidParameterValue: common("InvalidParameterValueException", "InvalidParameterValue", 400),
  MissingParameter: common("MissingRequiredParameterException", "MissingParameter", 400),
  Serialization: common("SerializationException", "MalformedInput", 400),
  UnknownOperation: common("UnknownOperationException", "UnknownOperationException", 404),
  InvalidAction: common("InvalidAction", "InvalidAction", 400),
  MissingAction: common("MissingAction", "MissingAction", 400),
  MalformedQueryString: common("MalformedQueryString", "MalformedQueryString", 404),
  RequestTooLarge: common("RequestTooLarge", "RequestTooLarge", 413),
  InternalFailure: common("InternalFailure", "InternalFailure", 500),
  ServiceUnavailable: common("ServiceUnavailable", "ServiceUnavailable", 503),
  NotFound: common("NotFound", "NotFound", 404),
  InvalidParameter: common("InvalidParameter", "InvalidParameter", 400),
};

export function spellingOf(code: RefusalCode): ErrorSpelling {
  return table[code];
}

/** The one text that differs between the protocols: old clients compare the longer one. */
export function queryMessageOf(refusal: Refusal): string {
  if (refusal.code !== "QueueDoesNotExist") return refusal.message;
  return refusal.message.replace("does not exist.", "does not exist for this wsdl version.");
}

function modelled(shape: string, queryCode: string, status: number): ErrorSpelling {
  return { jsonType: MODELLED + shape, queryCode, status, fault: "Sender" };
}

function common(shape: string, queryCode: string, status: number): ErrorSpelling {
  return { jsonType: COMMON + shape, queryCode, status, fault: status >= 500 ? "Receiver" : "Sender" };
}
