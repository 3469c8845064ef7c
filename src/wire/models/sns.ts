// Written by scripts/generate-models.ts from the schemas of @aws-sdk/client-sns 3.1169.0. Do not edit: change the
// script and run it again. It says what SNS's operations take and answer; names in quotes are the Query protocol's.

import { blob, boolean, integer, list, map, optional, required, structure, text } from "../protocol/model.ts";
import type { ErrorModel } from "../protocol/model.ts";

export const SERVICE_NAMESPACE = "com.amazonaws.sns";
export const API_VERSION = "2010-03-31";
export const TARGET_PREFIX = "AmazonSimpleNotificationService";
export const XML_NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/";

const AddPermissionInput = structure("AddPermissionInput", {
  TopicArn: required(text),
  Label: required(text),
  AWSAccountId: required(list(text)),
  ActionName: required(list(text)),
});

const CheckIfPhoneNumberIsOptedOutInput = structure("CheckIfPhoneNumberIsOptedOutInput", {
  phoneNumber: required(text),
});

const CheckIfPhoneNumberIsOptedOutResponse = structure("CheckIfPhoneNumberIsOptedOutResponse", {
  isOptedOut: optional(boolean),
});

const ConfirmSubscriptionInput = structure("ConfirmSubscriptionInput", {
  TopicArn: required(text),
  Token: required(text),
  AuthenticateOnUnsubscribe: optional(text),
});

const ConfirmSubscriptionResponse = structure("ConfirmSubscriptionResponse", {
  SubscriptionArn: optional(text),
});

const CreatePlatformApplicationInput = structure("CreatePlatformApplicationInput", {
  Name: required(text),
  Platform: required(text),
  Attributes: required(map("key", "value", text)),
});

const CreatePlatformApplicationResponse = structure("CreatePlatformApplicationResponse", {
  PlatformApplicationArn: optional(text),
});

const CreatePlatformEndpointInput = structure("CreatePlatformEndpointInput", {
  PlatformApplicationArn: required(text),
  Token: required(text),
  CustomUserData: optional(text),
  Attributes: optional(map("key", "value", text)),
});

const CreateEndpointResponse = structure("CreateEndpointResponse", {
  EndpointArn: optional(text),
});

const CreateSMSSandboxPhoneNumberInput = structure("CreateSMSSandboxPhoneNumberInput", {
  PhoneNumber: required(text),
  LanguageCode: optional(text),
});

const CreateSMSSandboxPhoneNumberResult = structure("CreateSMSSandboxPhoneNumberResult", {});

const Tag = structure("Tag", {
  Key: required(text),
  Value: required(text),
});

const TagList = list(Tag);

const CreateTopicInput = structure("CreateTopicInput", {
  Name: required(text),
  Attributes: optional(map("key", "value", text)),
  Tags: optional(TagList),
  DataProtectionPolicy: optional(text),
});

const CreateTopicResponse = structure("CreateTopicResponse", {
  TopicArn: optional(text),
});

const DeleteEndpointInput = structure("DeleteEndpointInput", {
  EndpointArn: required(text),
});

const DeletePlatformApplicationInput = structure("DeletePlatformApplicationInput", {
  PlatformApplicationArn: required(text),
});

const DeleteSMSSandboxPhoneNumberInput = structure("DeleteSMSSandboxPhoneNumberInput", {
  PhoneNumber: required(text),
});

const DeleteSMSSandboxPhoneNumberResult = structure("DeleteSMSSandboxPhoneNumberResult", {});

const DeleteTopicInput = structure("DeleteTopicInput", {
  TopicArn: required(text),
});

const GetDataProtectionPolicyInput = structure("GetDataProtectionPolicyInput", {
  ResourceArn: required(text),
});

const GetDataProtectionPolicyResponse = structure("GetDataProtectionPolicyResponse", {
  DataProtectionPolicy: optional(text),
});

const GetEndpointAttributesInput = structure("GetEndpointAttributesInput", {
  EndpointArn: required(text),
});

const GetEndpointAttributesResponse = structure("GetEndpointAttributesResponse", {
  Attributes: optional(map("key", "value", text)),
});

const GetPlatformApplicationAttributesInput = structure("GetPlatformApplicationAttributesInput", {
  PlatformApplicationArn: required(text),
});

const GetPlatformApplicationAttributesResponse = structure("GetPlatformApplicationAttributesResponse", {
  Attributes: optional(map("key", "value", text)),
});

const GetSMSAttributesInput = structure("GetSMSAttributesInput", {
  attributes: optional(list(text)),
});

const GetSMSAttributesResponse = structure("GetSMSAttributesResponse", {
  attributes: optional(map("key", "value", text)),
});

const GetSMSSandboxAccountStatusInput = structure("GetSMSSandboxAccountStatusInput", {});

const GetSMSSandboxAccountStatusResult = structure("GetSMSSandboxAccountStatusResult", {
  IsInSandbox: required(boolean),
});

const GetSubscriptionAttributesInput = structure("GetSubscriptionAttributesInput", {
  SubscriptionArn: required(text),
});

const GetSubscriptionAttributesResponse = structure("GetSubscriptionAttributesResponse", {
  Attributes: optional(map("key", "value", text)),
});

const GetTopicAttributesInput = structure("GetTopicAttributesInput", {
  TopicArn: required(text),
});

const GetTopicAttributesResponse = structure("GetTopicAttributesResponse", {
  Attributes: optional(map("key", "value", text)),
});

const ListEndpointsByPlatformApplicationInput = structure("ListEndpointsByPlatformApplicationInput", {
  PlatformApplicationArn: required(text),
  NextToken: optional(text),
});

const Endpoint = structure("Endpoint", {
  EndpointArn: optional(text),
  Attributes: optional(map("key", "value", text)),
});

const ListOfEndpoints = list(Endpoint);

const ListEndpointsByPlatformApplicationResponse = structure("ListEndpointsByPlatformApplicationResponse", {
  Endpoints: optional(ListOfEndpoints),
  NextToken: optional(text),
});

const ListOriginationNumbersRequest = structure("ListOriginationNumbersRequest", {
  NextToken: optional(text),
  MaxResults: optional(integer),
});

const PhoneNumberInformation = structure("PhoneNumberInformation", {
  CreatedAt: optional(text),
  PhoneNumber: optional(text),
  Status: optional(text),
  Iso2CountryCode: optional(text),
  RouteType: optional(text),
  NumberCapabilities: optional(list(text)),
});

const PhoneNumberInformationList = list(PhoneNumberInformation);

const ListOriginationNumbersResult = structure("ListOriginationNumbersResult", {
  NextToken: optional(text),
  PhoneNumbers: optional(PhoneNumberInformationList),
});

const ListPhoneNumbersOptedOutInput = structure("ListPhoneNumbersOptedOutInput", {
  nextToken: optional(text),
});

const PhoneNumberList = list(text);

const ListPhoneNumbersOptedOutResponse = structure("ListPhoneNumbersOptedOutResponse", {
  phoneNumbers: optional(PhoneNumberList),
  nextToken: optional(text),
});

const ListPlatformApplicationsInput = structure("ListPlatformApplicationsInput", {
  NextToken: optional(text),
});

const PlatformApplication = structure("PlatformApplication", {
  PlatformApplicationArn: optional(text),
  Attributes: optional(map("key", "value", text)),
});

const ListOfPlatformApplications = list(PlatformApplication);

const ListPlatformApplicationsResponse = structure("ListPlatformApplicationsResponse", {
  PlatformApplications: optional(ListOfPlatformApplications),
  NextToken: optional(text),
});

const ListSMSSandboxPhoneNumbersInput = structure("ListSMSSandboxPhoneNumbersInput", {
  NextToken: optional(text),
  MaxResults: optional(integer),
});

const SMSSandboxPhoneNumber = structure("SMSSandboxPhoneNumber", {
  PhoneNumber: optional(text),
  Status: optional(text),
});

const SMSSandboxPhoneNumberList = list(SMSSandboxPhoneNumber);

const ListSMSSandboxPhoneNumbersResult = structure("ListSMSSandboxPhoneNumbersResult", {
  PhoneNumbers: required(SMSSandboxPhoneNumberList),
  NextToken: optional(text),
});

const ListSubscriptionsInput = structure("ListSubscriptionsInput", {
  NextToken: optional(text),
});

const Subscription = structure("Subscription", {
  SubscriptionArn: optional(text),
  Owner: optional(text),
  Protocol: optional(text),
  Endpoint: optional(text),
  TopicArn: optional(text),
});

const SubscriptionsList = list(Subscription);

const ListSubscriptionsResponse = structure("ListSubscriptionsResponse", {
  Subscriptions: optional(SubscriptionsList),
  NextToken: optional(text),
});

const ListSubscriptionsByTopicInput = structure("ListSubscriptionsByTopicInput", {
  TopicArn: required(text),
  NextToken: optional(text),
});

const ListSubscriptionsByTopicResponse = structure("ListSubscriptionsByTopicResponse", {
  Subscriptions: optional(SubscriptionsList),
  NextToken: optional(text),
});

const ListTagsForResourceRequest = structure("ListTagsForResourceRequest", {
  ResourceArn: required(text),
});

const ListTagsForResourceResponse = structure("ListTagsForResourceResponse", {
  Tags: optional(TagList),
});

const ListTopicsInput = structure("ListTopicsInput", {
  NextToken: optional(text),
});

const Topic = structure("Topic", {
  TopicArn: optional(text),
});

const TopicsList = list(Topic);

const ListTopicsResponse = structure("ListTopicsResponse", {
  Topics: optional(TopicsList),
  NextToken: optional(text),
});

const OptInPhoneNumberInput = structure("OptInPhoneNumberInput", {
  phoneNumber: required(text),
});

const OptInPhoneNumberResponse = structure("OptInPhoneNumberResponse", {});

const MessageAttributeValue = structure("MessageAttributeValue", {
  DataType: required(text),
  StringValue: optional(text),
  BinaryValue: optional(blob),
});

const MessageAttributeMap = map("Name", "Value", MessageAttributeValue);

const PublishInput = structure("PublishInput", {
  Message: required(text),
  TopicArn: optional(text),
  TargetArn: optional(text),
  PhoneNumber: optional(text),
  Subject: optional(text),
  MessageStructure: optional(text),
  MessageAttributes: optional(MessageAttributeMap),
  MessageDeduplicationId: optional(text),
  MessageGroupId: optional(text),
});

const PublishResponse = structure("PublishResponse", {
  MessageId: optional(text),
  SequenceNumber: optional(text),
});

const PublishBatchRequestEntry = structure("PublishBatchRequestEntry", {
  Id: required(text),
  Message: required(text),
  Subject: optional(text),
  MessageStructure: optional(text),
  MessageAttributes: optional(MessageAttributeMap),
  MessageDeduplicationId: optional(text),
  MessageGroupId: optional(text),
});

const PublishBatchRequestEntryList = list(PublishBatchRequestEntry);

const PublishBatchInput = structure("PublishBatchInput", {
  TopicArn: required(text),
  PublishBatchRequestEntries: required(PublishBatchRequestEntryList),
});

const PublishBatchResultEntry = structure("PublishBatchResultEntry", {
  Id: optional(text),
  MessageId: optional(text),
  SequenceNumber: optional(text),
});

const PublishBatchResultEntryList = list(PublishBatchResultEntry);

const BatchResultErrorEntry = structure("BatchResultErrorEntry", {
  Id: required(text),
  Code: required(text),
  SenderFault: required(boolean),
  Message: optional(text),
});

const BatchResultErrorEntryList = list(BatchResultErrorEntry);

const PublishBatchResponse = structure("PublishBatchResponse", {
  Successful: optional(PublishBatchResultEntryList),
  Failed: optional(BatchResultErrorEntryList),
});

const PutDataProtectionPolicyInput = structure("PutDataProtectionPolicyInput", {
  ResourceArn: required(text),
  DataProtectionPolicy: required(text),
});

const RemovePermissionInput = structure("RemovePermissionInput", {
  TopicArn: required(text),
  Label: required(text),
});

const SetEndpointAttributesInput = structure("SetEndpointAttributesInput", {
  EndpointArn: required(text),
  Attributes: required(map("key", "value", text)),
});

const SetPlatformApplicationAttributesInput = structure("SetPlatformApplicationAttributesInput", {
  PlatformApplicationArn: required(text),
  Attributes: required(map("key", "value", text)),
});

const SetSMSAttributesInput = structure("SetSMSAttributesInput", {
  attributes: required(map("key", "value", text)),
});

const SetSMSAttributesResponse = structure("SetSMSAttributesResponse", {});

const SetSubscriptionAttributesInput = structure("SetSubscriptionAttributesInput", {
  SubscriptionArn: required(text),
  AttributeName: required(text),
  AttributeValue: optional(text),
});

const SetTopicAttributesInput = structure("SetTopicAttributesInput", {
  TopicArn: required(text),
  AttributeName: required(text),
  AttributeValue: optional(text),
});

const SubscribeInput = structure("SubscribeInput", {
  TopicArn: required(text),
  Protocol: required(text),
  Endpoint: optional(text),
  Attributes: optional(map("key", "value", text)),
  ReturnSubscriptionArn: optional(boolean),
});

const SubscribeResponse = structure("SubscribeResponse", {
  SubscriptionArn: optional(text),
});

const TagResourceRequest = structure("TagResourceRequest", {
  ResourceArn: required(text),
  Tags: required(TagList),
});

const TagResourceResponse = structure("TagResourceResponse", {});

const UnsubscribeInput = structure("UnsubscribeInput", {
  SubscriptionArn: required(text),
});

const UntagResourceRequest = structure("UntagResourceRequest", {
  ResourceArn: required(text),
  TagKeys: required(list(text)),
});

const UntagResourceResponse = structure("UntagResourceResponse", {});

const VerifySMSSandboxPhoneNumberInput = structure("VerifySMSSandboxPhoneNumberInput", {
  PhoneNumber: required(text),
  OneTimePassword: required(text),
});

const VerifySMSSandboxPhoneNumberResult = structure("VerifySMSSandboxPhoneNumberResult", {});

export const operations = {
  AddPermission: { input: AddPermissionInput },
  CheckIfPhoneNumberIsOptedOut: {
    input: CheckIfPhoneNumberIsOptedOutInput,
    output: CheckIfPhoneNumberIsOptedOutResponse,
  },
  ConfirmSubscription: { input: ConfirmSubscriptionInput, output: ConfirmSubscriptionResponse },
  CreatePlatformApplication: { input: CreatePlatformApplicationInput, output: CreatePlatformApplicationResponse },
  CreatePlatformEndpoint: { input: CreatePlatformEndpointInput, output: CreateEndpointResponse },
  CreateSMSSandboxPhoneNumber: { input: CreateSMSSandboxPhoneNumberInput, output: CreateSMSSandboxPhoneNumberResult },
  CreateTopic: { input: CreateTopicInput, output: CreateTopicResponse },
  DeleteEndpoint: { input: DeleteEndpointInput },
  DeletePlatformApplication: { input: DeletePlatformApplicationInput },
  DeleteSMSSandboxPhoneNumber: { input: DeleteSMSSandboxPhoneNumberInput, output: DeleteSMSSandboxPhoneNumberResult },
  DeleteTopic: { input: DeleteTopicInput },
  GetDataProtectionPolicy: { input: GetDataProtectionPolicyInput, output: GetDataProtectionPolicyResponse },
  GetEndpointAttributes: { input: GetEndpointAttributesInput, output: GetEndpointAttributesResponse },
  GetPlatformApplicationAttributes: {
    input: GetPlatformApplicationAttributesInput,
    output: GetPlatformApplicationAttributesResponse,
  },
  GetSMSAttributes: { input: GetSMSAttributesInput, output: GetSMSAttributesResponse },
  GetSMSSandboxAccountStatus: { input: GetSMSSandboxAccountStatusInput, output: GetSMSSandboxAccountStatusResult },
  GetSubscriptionAttributes: { input: GetSubscriptionAttributesInput, output: GetSubscriptionAttributesResponse },
  GetTopicAttributes: { input: GetTopicAttributesInput, output: GetTopicAttributesResponse },
  ListEndpointsByPlatformApplication: {
    input: ListEndpointsByPlatformApplicationInput,
    output: ListEndpointsByPlatformApplicationResponse,
  },
  ListOriginationNumbers: { input: ListOriginationNumbersRequest, output: ListOriginationNumbersResult },
  ListPhoneNumbersOptedOut: { input: ListPhoneNumbersOptedOutInput, output: ListPhoneNumbersOptedOutResponse },
  ListPlatformApplications: { input: ListPlatformApplicationsInput, output: ListPlatformApplicationsResponse },
  ListSMSSandboxPhoneNumbers: { input: ListSMSSandboxPhoneNumbersInput, output: ListSMSSandboxPhoneNumbersResult },
  ListSubscriptions: { input: ListSubscriptionsInput, output: ListSubscriptionsResponse },
  ListSubscriptionsByTopic: { input: ListSubscriptionsByTopicInput, output: ListSubscriptionsByTopicResponse },
  ListTagsForResource: { input: ListTagsForResourceRequest, output: ListTagsForResourceResponse },
  ListTopics: { input: ListTopicsInput, output: ListTopicsResponse },
  OptInPhoneNumber: { input: OptInPhoneNumberInput, output: OptInPhoneNumberResponse },
  Publish: { input: PublishInput, output: PublishResponse },
  PublishBatch: { input: PublishBatchInput, output: PublishBatchResponse },
  PutDataProtectionPolicy: { input: PutDataProtectionPolicyInput },
  RemovePermission: { input: RemovePermissionInput },
  SetEndpointAttributes: { input: SetEndpointAttributesInput },
  SetPlatformApplicationAttributes: { input: SetPlatformApplicationAttributesInput },
  SetSMSAttributes: { input: SetSMSAttributesInput, output: SetSMSAttributesResponse },
  SetSubscriptionAttributes: { input: SetSubscriptionAttributesInput },
  SetTopicAttributes: { input: SetTopicAttributesInput },
  Subscribe: { input: SubscribeInput, output: SubscribeResponse },
  TagResource: { input: TagResourceRequest, output: TagResourceResponse },
  Unsubscribe: { input: UnsubscribeInput },
  UntagResource: { input: UntagResourceRequest, output: UntagResourceResponse },
  VerifySMSSandboxPhoneNumber: { input: VerifySMSSandboxPhoneNumberInput, output: VerifySMSSandboxPhoneNumberResult },
} as const;

export const errors: Record<string, ErrorModel> = {
  AuthorizationErrorException: { queryCode: "AuthorizationError", status: 403 },
  BatchEntryIdsNotDistinctException: { queryCode: "BatchEntryIdsNotDistinct", status: 400 },
  BatchRequestTooLongException: { queryCode: "BatchRequestTooLong", status: 400 },
  ConcurrentAccessException: { queryCode: "ConcurrentAccess", status: 400 },
  EmptyBatchRequestException: { queryCode: "EmptyBatchRequest", status: 400 },
  EndpointDisabledException: { queryCode: "EndpointDisabled", status: 400 },
  FilterPolicyLimitExceededException: { queryCode: "FilterPolicyLimitExceeded", status: 403 },
  InternalErrorException: { queryCode: "InternalError", status: 500 },
  InvalidBatchEntryIdException: { queryCode: "InvalidBatchEntryId", status: 400 },
  InvalidParameterException: { queryCode: "InvalidParameter", status: 400 },
  InvalidParameterValueException: { queryCode: "ParameterValueInvalid", status: 400 },
  InvalidSecurityException: { queryCode: "InvalidSecurity", status: 403 },
  InvalidStateException: { queryCode: "InvalidState", status: 400 },
  KMSAccessDeniedException: { queryCode: "KMSAccessDenied", status: 400 },
  KMSDisabledException: { queryCode: "KMSDisabled", status: 400 },
  KMSInvalidStateException: { queryCode: "KMSInvalidState", status: 400 },
  KMSNotFoundException: { queryCode: "KMSNotFound", status: 400 },
  KMSOptInRequired: { queryCode: "KMSOptInRequired", status: 403 },
  KMSThrottlingException: { queryCode: "KMSThrottling", status: 400 },
  NotFoundException: { queryCode: "NotFound", status: 404 },
  OptedOutException: { queryCode: "OptedOut", status: 400 },
  PlatformApplicationDisabledException: { queryCode: "PlatformApplicationDisabled", status: 400 },
  ReplayLimitExceededException: { queryCode: "ReplayLimitExceeded", status: 403 },
  ResourceNotFoundException: { queryCode: "ResourceNotFound", status: 404 },
  StaleTagException: { queryCode: "StaleTag", status: 400 },
  SubscriptionLimitExceededException: { queryCode: "SubscriptionLimitExceeded", status: 403 },
  TagLimitExceededException: { queryCode: "TagLimitExceeded", status: 400 },
  TagPolicyException: { queryCode: "TagPolicy", status: 400 },
  ThrottledException: { queryCode: "Throttled", status: 429 },
  TooManyEntriesInBatchRequestException: { queryCode: "TooManyEntriesInBatchRequest", status: 400 },
  TopicLimitExceededException: { queryCode: "TopicLimitExceeded", status: 403 },
  UserErrorException: { queryCode: "UserError", status: 400 },
  ValidationException: { queryCode: "ValidationException", status: 400 },
  VerificationException: { queryCode: "VerificationException", status: 400 },
};
