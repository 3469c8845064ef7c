// Lambda's refusals on the wire. Names and statuses agree with AWS's model; errors.test.ts holds them against it.

import type { FunctionRefusalCode } from "../../engine/refusal.ts";
import { SERVICE_NAMESPACE } from "../models/lambda.ts";
import type { ErrorSpelling } from "../protocol/error-table.ts";
import { errorTable, spelled } from "../protocol/error-table.ts";

type Common = "InternalFailure" | "RequestTooLarge" | "Serialization" | "ServiceUnavailable" | "UnknownOperation";

export const own: Record<FunctionRefusalCode | Common, ErrorSpelling> = {
  InvalidParameterValueException: modelled("InvalidParameterValueException", 400),
  InvalidRequestContentException: modelled("InvalidRequestContentException", 400),
  InvalidRuntimeException: modelled("InvalidRuntimeException", 502),
  PolicyLengthExceededException: modelled("PolicyLengthExceededException", 400),
  PreconditionFailedException: modelled("PreconditionFailedException", 412),
  RequestEntityTooLargeException: modelled("RequestEntityTooLargeException", 413),
  RequestTooLargeException: modelled("RequestTooLargeException", 413),
  ResourceConflictException: modelled("ResourceConflictException", 409),
  ResourceInUseException: modelled("ResourceInUseException", 400),
  ResourceNotFoundException: modelled("ResourceNotFoundException", 404),
  TooManyRequestsException: modelled("TooManyRequestsException", 429),
  ValidationException: modelled("ValidationException", 400),
  InternalFailure: modelled("ServiceException", 500),
  // SDKs retry it, as they do every 5xx.
  ServiceUnavailable: modelled("ServiceException", 503),
  RequestTooLarge: modelled("RequestEntityTooLargeException", 413),
  Serialization: modelled("SerializationException", 400),
  UnknownOperation: modelled("UnknownOperationException", 404),
};

export const errors = errorTable(own);

function modelled(shape: string, status: number): ErrorSpelling {
  return spelled(`${SERVICE_NAMESPACE}#${shape}`, shape, status);
}
