// What the engine and the wire refuse, as values. The code is the name of AWS's error shape; how a service spells
// a code in each protocol (type, query code, status, fault side) is its error table's business (wire/*/errors.ts).
// The texts are AWS's own, since clients and tests compare them.

export type RefusalCode = CommonRefusalCode | QueueRefusalCode | TopicRefusalCode | FunctionRefusalCode;

/** What a request to any service can meet. */
export type CommonRefusalCode =
  | "InvalidParameterValue"
  | "MissingParameter"
  | "Serialization"
  | "UnknownOperation"
  | "InvalidAction"
  | "MissingAction"
  | "MalformedQueryString"
  | "RequestTooLarge"
  | "InternalFailure"
  | "ServiceUnavailable";

type BatchRefusalCode =
  | "BatchEntryIdsNotDistinct"
  | "BatchRequestTooLong"
  | "EmptyBatchRequest"
  | "InvalidBatchEntryId"
  | "TooManyEntriesInBatchRequest";

export type QueueRefusalCode =
  | BatchRefusalCode
  | "MessageNotInflight"
  | "UnsupportedOperation"
  | "QueueDeletedRecently"
  | "QueueDoesNotExist"
  | "PurgeQueueInProgress"
  | "QueueNameExists"
  | "OverLimit"
  | "RequestThrottled"
  | "InvalidAddress"
  | "ReceiptHandleIsInvalid"
  | "ResourceNotFoundException"
  | "InvalidAttributeName"
  | "InvalidAttributeValue"
  | "InvalidMessageContents";

/** SNS (fanout.md A2); the names are those of the wire. */
export type TopicRefusalCode =
  | BatchRefusalCode
  | "AuthorizationError"
  | "FilterPolicyLimitExceeded"
  | "InvalidParameter"
  | "InvalidState"
  | "NotFound"
  | "ParameterValueInvalid"
  | "ResourceNotFound"
  | "SubscriptionLimitExceeded"
  | "TagLimitExceeded"
  | "TopicLimitExceeded"
  | "ValidationError";

/** Lambda (fanout.md C1); the names are those of the wire. */
export type FunctionRefusalCode =
  | "InvalidParameterValueException"
  | "InvalidRequestContentException"
  | "InvalidRuntimeException"
  | "PolicyLengthExceededException"
  | "PreconditionFailedException"
  | "RequestEntityTooLargeException"
  | "RequestTooLargeException"
  | "ResourceConflictException"
  | "ResourceInUseException"
  | "ResourceNotFoundException"
  | "TooManyRequestsException"
  | "ValidationException";

export interface Refusal {
  code: RefusalCode;
  message: string;
  /** A word for programs beside the text: Lambda says which limit throttled a call. */
  reason?: string;
}

export function refusal(code: RefusalCode, message: string): Refusal {
  return { code, message };
}

export function missingParameter(name: string): Refusal {
  return refusal("MissingParameter", `The request must contain the parameter ${name}.`);
}

/** `Value {value} for parameter {parameter} is invalid. Reason: {reason}` */
export function invalidValue(value: string | number, parameter: string, reason: string): Refusal {
  return refusal("InvalidParameterValue", `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`);
}

export function invalidParameter(message: string): Refusal {
  return refusal("InvalidParameterValue", message);
}

export function unknownAttribute(name: string): Refusal {
  return refusal("InvalidAttributeName", `Unknown Attribute ${name}.`);
}

/** The Query protocol's longer text ("… for this wsdl version.") is chosen by the error table. */
export function queueDoesNotExist(): Refusal {
  return refusal("QueueDoesNotExist", "The specified queue does not exist.");
}

export function receiptHandleInvalid(handle: string): Refusal {
  return refusal("ReceiptHandleIsInvalid", `The input receipt handle "${handle}" is not a valid receipt handle.`);
}

export function receiptHandleOfAnotherQueue(handle: string): Refusal {
  return refusal("ReceiptHandleIsInvalid", `The receipt handle "${handle}" is not valid for this queue.`);
}

/** SNS: 404 (fanout.md A4). */
export function topicDoesNotExist(): Refusal {
  return refusal("NotFound", "Topic does not exist");
}

/** Lambda's checks against its model. `constraint` goes on: `Member must have value less than or equal to 900`. */
export function constraintViolated(value: string | number | null, member: string, constraint: string): Refusal {
  const shown = value === null ? "null" : `'${value}'`;
  return refusal(
    "ValidationException",
    `1 validation error detected: Value ${shown} at '${member}' failed to satisfy constraint: ${constraint}`,
  );
}

/** Retryable on purpose: SDKs retry a 5xx, and nothing was acknowledged. */
export function serviceUnavailable(message: string): Refusal {
  return refusal("ServiceUnavailable", message);
}
