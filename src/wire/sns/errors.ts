// SNS's refusals on the wire. Codes and statuses agree with AWS's model; errors.test.ts holds them against it. The one
// that is not modelled is what SNS's front answers itself when a member is missing.

import type { TopicRefusalCode } from "../../engine/refusal.ts";
import { SERVICE_NAMESPACE } from "../models/sns.ts";
import type { ErrorSpelling } from "../protocol/error-table.ts";
import { errorTable, spelled } from "../protocol/error-table.ts";

const own: Record<TopicRefusalCode | "InternalFailure", ErrorSpelling> = {
  AuthorizationError: modelled("AuthorizationErrorException", "AuthorizationError", 403),
  BatchEntryIdsNotDistinct: modelled("BatchEntryIdsNotDistinctException", "BatchEntryIdsNotDistinct", 400),
  BatchRequestTooLong: modelled("BatchRequestTooLongException", "BatchRequestTooLong", 400),
  EmptyBatchRequest: modelled("EmptyBatchRequestException", "EmptyBatchRequest", 400),
  FilterPolicyLimitExceeded: modelled("FilterPolicyLimitExceededException", "FilterPolicyLimitExceeded", 403),
  InternalFailure: modelled("InternalErrorException", "InternalError", 500),
  InvalidBatchEntryId: modelled("InvalidBatchEntryIdException", "InvalidBatchEntryId", 400),
  InvalidParameter: modelled("InvalidParameterException", "InvalidParameter", 400),
  InvalidState: modelled("InvalidStateException", "InvalidState", 400),
  NotFound: modelled("NotFoundException", "NotFound", 404),
  ParameterValueInvalid: modelled("InvalidParameterValueException", "ParameterValueInvalid", 400),
  ResourceNotFound: modelled("ResourceNotFoundException", "ResourceNotFound", 404),
  SubscriptionLimitExceeded: modelled("SubscriptionLimitExceededException", "SubscriptionLimitExceeded", 403),
  TagLimitExceeded: modelled("TagLimitExceededException", "TagLimitExceeded", 400),
  TooManyEntriesInBatchRequest: modelled("TooManyEntriesInBatchRequestException", "TooManyEntriesInBatchRequest", 400),
  TopicLimitExceeded: modelled("TopicLimitExceededException", "TopicLimitExceeded", 403),
  ValidationError: modelled("ValidationError", "ValidationError", 400),
};

export const errors = errorTable(own);

function modelled(shape: string, queryCode: string, status: number): ErrorSpelling {
  return spelled(`${SERVICE_NAMESPACE}#${shape}`, queryCode, status);
}
