// What STS's operations take and answer, in the form of the generated models. One operation is offered, so it is
// written by hand after the API reference.

import { optional, structure, text } from "../protocol/model.ts";

export const API_VERSION = "2011-06-15";
export const XML_NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";

const GetCallerIdentityRequest = structure("GetCallerIdentityRequest", {});

const GetCallerIdentityResponse = structure("GetCallerIdentityResponse", {
  UserId: optional(text),
  Account: optional(text),
  Arn: optional(text),
});

export const operations = {
  GetCallerIdentity: { input: GetCallerIdentityRequest, output: GetCallerIdentityResponse },
};
