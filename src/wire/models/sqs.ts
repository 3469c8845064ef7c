// Written by scripts/generate-models.ts from the schemas of @aws-sdk/client-sqs 3.1175.0. Do not edit: change the
// script and run it again. It says what SQS's operations take and answer; names in quotes are the Query protocol's.

import { blob, boolean, integer, list, map, optional, required, structure, text } from "../protocol/model.ts";
import type { ErrorModel } from "../protocol/model.ts";

export const SERVICE_NAMESPACE = "com.amazonaws.sqs";
export const API_VERSION = "2012-11-05";
export const TARGET_PREFIX = "AmazonSQS";

const AddPermissionRequest = structure("AddPermissionRequest", {
  QueueUrl: required(text),
  Label: required(text),
  AWSAccountIds: required(list(text), "AWSAccountId", "flattened"),
  Actions: required(list(text), "ActionName", "flattened"),
});

const CancelMessageMoveTaskRequest = structure("CancelMessageMoveTaskRequest", {
  TaskHandle: required(text),
});

const CancelMessageMoveTaskResult = structure("CancelMessageMoveTaskResult", {
  ApproximateNumberOfMessagesMoved: optional(integer),
});

const ChangeMessageVisibilityRequest = structure("ChangeMessageVisibilityRequest", {
  QueueUrl: required(text),
  ReceiptHandle: required(text),
  VisibilityTimeout: required(integer),
});

const ChangeMessageVisibilityBatchRequestEntry = structure("ChangeMessageVisibilityBatchRequestEntry", {
  Id: required(text),
  ReceiptHandle: required(text),
  VisibilityTimeout: optional(integer),
});

const ChangeMessageVisibilityBatchRequestEntryList = list(ChangeMessageVisibilityBatchRequestEntry);

const ChangeMessageVisibilityBatchRequest = structure("ChangeMessageVisibilityBatchRequest", {
  QueueUrl: required(text),
  Entries: required(
    ChangeMessageVisibilityBatchRequestEntryList,
    "ChangeMessageVisibilityBatchRequestEntry",
    "flattened",
  ),
});

const ChangeMessageVisibilityBatchResultEntry = structure("ChangeMessageVisibilityBatchResultEntry", {
  Id: required(text),
});

const ChangeMessageVisibilityBatchResultEntryList = list(ChangeMessageVisibilityBatchResultEntry);

const BatchResultErrorEntry = structure("BatchResultErrorEntry", {
  Id: required(text),
  SenderFault: required(boolean),
  Code: required(text),
  Message: optional(text),
});

const BatchResultErrorEntryList = list(BatchResultErrorEntry);

const ChangeMessageVisibilityBatchResult = structure("ChangeMessageVisibilityBatchResult", {
  Successful: required(
    ChangeMessageVisibilityBatchResultEntryList,
    "ChangeMessageVisibilityBatchResultEntry",
    "flattened",
  ),
  Failed: required(BatchResultErrorEntryList, "BatchResultErrorEntry", "flattened"),
});

const QueueAttributeMap = map("Name", "Value", text);

const TagMap = map("Key", "Value", text);

const CreateQueueRequest = structure("CreateQueueRequest", {
  QueueName: required(text),
  Attributes: optional(QueueAttributeMap, "Attribute", "flattened"),
  tags: optional(TagMap, "Tag", "flattened"),
});

const CreateQueueResult = structure("CreateQueueResult", {
  QueueUrl: optional(text),
});

const DeleteMessageRequest = structure("DeleteMessageRequest", {
  QueueUrl: required(text),
  ReceiptHandle: required(text),
});

const DeleteMessageBatchRequestEntry = structure("DeleteMessageBatchRequestEntry", {
  Id: required(text),
  ReceiptHandle: required(text),
});

const DeleteMessageBatchRequestEntryList = list(DeleteMessageBatchRequestEntry);

const DeleteMessageBatchRequest = structure("DeleteMessageBatchRequest", {
  QueueUrl: required(text),
  Entries: required(DeleteMessageBatchRequestEntryList, "DeleteMessageBatchRequestEntry", "flattened"),
});

const DeleteMessageBatchResultEntry = structure("DeleteMessageBatchResultEntry", {
  Id: required(text),
});

const DeleteMessageBatchResultEntryList = list(DeleteMessageBatchResultEntry);

const DeleteMessageBatchResult = structure("DeleteMessageBatchResult", {
  Successful: required(DeleteMessageBatchResultEntryList, "DeleteMessageBatchResultEntry", "flattened"),
  Failed: required(BatchResultErrorEntryList, "BatchResultErrorEntry", "flattened"),
});

const DeleteQueueRequest = structure("DeleteQueueRequest", {
  QueueUrl: required(text),
});

const GetQueueAttributesRequest = structure("GetQueueAttributesRequest", {
  QueueUrl: required(text),
  AttributeNames: optional(list(text), "AttributeName", "flattened"),
});

const GetQueueAttributesResult = structure("GetQueueAttributesResult", {
  Attributes: optional(QueueAttributeMap, "Attribute", "flattened"),
});

const GetQueueUrlRequest = structure("GetQueueUrlRequest", {
  QueueName: required(text),
  QueueOwnerAWSAccountId: optional(text),
});

const GetQueueUrlResult = structure("GetQueueUrlResult", {
  QueueUrl: optional(text),
});

const ListDeadLetterSourceQueuesRequest = structure("ListDeadLetterSourceQueuesRequest", {
  QueueUrl: required(text),
  NextToken: optional(text),
  MaxResults: optional(integer),
});

const ListDeadLetterSourceQueuesResult = structure("ListDeadLetterSourceQueuesResult", {
  queueUrls: required(list(text), "QueueUrl", "flattened"),
  NextToken: optional(text),
});

const ListMessageMoveTasksRequest = structure("ListMessageMoveTasksRequest", {
  SourceArn: required(text),
  MaxResults: optional(integer),
});

const ListMessageMoveTasksResultEntry = structure("ListMessageMoveTasksResultEntry", {
  TaskHandle: optional(text),
  Status: optional(text),
  SourceArn: optional(text),
  DestinationArn: optional(text),
  MaxNumberOfMessagesPerSecond: optional(integer),
  ApproximateNumberOfMessagesMoved: optional(integer),
  ApproximateNumberOfMessagesToMove: optional(integer),
  FailureReason: optional(text),
  StartedTimestamp: optional(integer),
});

const ListMessageMoveTasksResultEntryList = list(ListMessageMoveTasksResultEntry);

const ListMessageMoveTasksResult = structure("ListMessageMoveTasksResult", {
  Results: optional(ListMessageMoveTasksResultEntryList, "ListMessageMoveTasksResultEntry", "flattened"),
});

const ListQueueTagsRequest = structure("ListQueueTagsRequest", {
  QueueUrl: required(text),
});

const ListQueueTagsResult = structure("ListQueueTagsResult", {
  Tags: optional(TagMap, "Tag", "flattened"),
});

const ListQueuesRequest = structure("ListQueuesRequest", {
  QueueNamePrefix: optional(text),
  NextToken: optional(text),
  MaxResults: optional(integer),
});

const ListQueuesResult = structure("ListQueuesResult", {
  QueueUrls: optional(list(text), "QueueUrl", "flattened"),
  NextToken: optional(text),
});

const PurgeQueueRequest = structure("PurgeQueueRequest", {
  QueueUrl: required(text),
});

const ReceiveMessageRequest = structure("ReceiveMessageRequest", {
  QueueUrl: required(text),
  AttributeNames: optional(list(text), "AttributeName", "flattened"),
  MessageSystemAttributeNames: optional(list(text), "MessageSystemAttributeName", "flattened"),
  MessageAttributeNames: optional(list(text), "MessageAttributeName", "flattened"),
  MaxNumberOfMessages: optional(integer),
  VisibilityTimeout: optional(integer),
  WaitTimeSeconds: optional(integer),
  ReceiveRequestAttemptId: optional(text),
});

const MessageSystemAttributeMap = map("Name", "Value", text);

const StringList = list(text, "StringListValue");

const BinaryList = list(blob, "BinaryListValue");

const MessageAttributeValue = structure("MessageAttributeValue", {
  DataType: required(text),
  StringValue: optional(text),
  BinaryValue: optional(blob),
  StringListValues: optional(StringList, "StringListValue", "flattened"),
  BinaryListValues: optional(BinaryList, "BinaryListValue", "flattened"),
});

const MessageBodyAttributeMap = map("Name", "Value", MessageAttributeValue);

const Message = structure("Message", {
  MessageId: optional(text),
  ReceiptHandle: optional(text),
  MD5OfBody: optional(text),
  Body: optional(text),
  Attributes: optional(MessageSystemAttributeMap, "Attribute", "flattened"),
  MD5OfMessageAttributes: optional(text),
  MessageAttributes: optional(MessageBodyAttributeMap, "MessageAttribute", "flattened"),
});

const MessageList = list(Message);

const ReceiveMessageResult = structure("ReceiveMessageResult", {
  Messages: optional(MessageList, "Message", "flattened"),
});

const RemovePermissionRequest = structure("RemovePermissionRequest", {
  QueueUrl: required(text),
  Label: required(text),
});

const MessageSystemAttributeValue = structure("MessageSystemAttributeValue", {
  DataType: required(text),
  StringValue: optional(text),
  BinaryValue: optional(blob),
  StringListValues: optional(StringList, "StringListValue", "flattened"),
  BinaryListValues: optional(BinaryList, "BinaryListValue", "flattened"),
});

const MessageBodySystemAttributeMap = map("Name", "Value", MessageSystemAttributeValue);

const SendMessageRequest = structure("SendMessageRequest", {
  QueueUrl: required(text),
  MessageBody: required(text),
  DelaySeconds: optional(integer),
  MessageAttributes: optional(MessageBodyAttributeMap, "MessageAttribute", "flattened"),
  MessageSystemAttributes: optional(MessageBodySystemAttributeMap, "MessageSystemAttribute", "flattened"),
  MessageDeduplicationId: optional(text),
  MessageGroupId: optional(text),
});

const SendMessageResult = structure("SendMessageResult", {
  MD5OfMessageBody: optional(text),
  MD5OfMessageAttributes: optional(text),
  MD5OfMessageSystemAttributes: optional(text),
  MessageId: optional(text),
  SequenceNumber: optional(text),
});

const SendMessageBatchRequestEntry = structure("SendMessageBatchRequestEntry", {
  Id: required(text),
  MessageBody: required(text),
  DelaySeconds: optional(integer),
  MessageAttributes: optional(MessageBodyAttributeMap, "MessageAttribute", "flattened"),
  MessageSystemAttributes: optional(MessageBodySystemAttributeMap, "MessageSystemAttribute", "flattened"),
  MessageDeduplicationId: optional(text),
  MessageGroupId: optional(text),
});

const SendMessageBatchRequestEntryList = list(SendMessageBatchRequestEntry);

const SendMessageBatchRequest = structure("SendMessageBatchRequest", {
  QueueUrl: required(text),
  Entries: required(SendMessageBatchRequestEntryList, "SendMessageBatchRequestEntry", "flattened"),
});

const SendMessageBatchResultEntry = structure("SendMessageBatchResultEntry", {
  Id: required(text),
  MessageId: required(text),
  MD5OfMessageBody: required(text),
  MD5OfMessageAttributes: optional(text),
  MD5OfMessageSystemAttributes: optional(text),
  SequenceNumber: optional(text),
});

const SendMessageBatchResultEntryList = list(SendMessageBatchResultEntry);

const SendMessageBatchResult = structure("SendMessageBatchResult", {
  Successful: required(SendMessageBatchResultEntryList, "SendMessageBatchResultEntry", "flattened"),
  Failed: required(BatchResultErrorEntryList, "BatchResultErrorEntry", "flattened"),
});

const SetQueueAttributesRequest = structure("SetQueueAttributesRequest", {
  QueueUrl: required(text),
  Attributes: required(QueueAttributeMap, "Attribute", "flattened"),
});

const StartMessageMoveTaskRequest = structure("StartMessageMoveTaskRequest", {
  SourceArn: required(text),
  DestinationArn: optional(text),
  MaxNumberOfMessagesPerSecond: optional(integer),
});

const StartMessageMoveTaskResult = structure("StartMessageMoveTaskResult", {
  TaskHandle: optional(text),
});

const TagQueueRequest = structure("TagQueueRequest", {
  QueueUrl: required(text),
  Tags: required(TagMap, "Tag", "flattened"),
});

const UntagQueueRequest = structure("UntagQueueRequest", {
  QueueUrl: required(text),
  TagKeys: required(list(text), "TagKey", "flattened"),
});

export const operations = {
  AddPermission: { input: AddPermissionRequest },
  CancelMessageMoveTask: { input: CancelMessageMoveTaskRequest, output: CancelMessageMoveTaskResult },
  ChangeMessageVisibility: { input: ChangeMessageVisibilityRequest },
  ChangeMessageVisibilityBatch: {
    input: ChangeMessageVisibilityBatchRequest,
    output: ChangeMessageVisibilityBatchResult,
  },
  CreateQueue: { input: CreateQueueRequest, output: CreateQueueResult },
  DeleteMessage: { input: DeleteMessageRequest },
  DeleteMessageBatch: { input: DeleteMessageBatchRequest, output: DeleteMessageBatchResult },
  DeleteQueue: { input: DeleteQueueRequest },
  GetQueueAttributes: { input: GetQueueAttributesRequest, output: GetQueueAttributesResult },
  GetQueueUrl: { input: GetQueueUrlRequest, output: GetQueueUrlResult },
  ListDeadLetterSourceQueues: { input: ListDeadLetterSourceQueuesRequest, output: ListDeadLetterSourceQueuesResult },
  ListMessageMoveTasks: { input: ListMessageMoveTasksRequest, output: ListMessageMoveTasksResult },
  ListQueueTags: { input: ListQueueTagsRequest, output: ListQueueTagsResult },
  ListQueues: { input: ListQueuesRequest, output: ListQueuesResult },
  PurgeQueue: { input: PurgeQueueRequest },
  ReceiveMessage: { input: ReceiveMessageRequest, output: ReceiveMessageResult },
  RemovePermission: { input: RemovePermissionRequest },
  SendMessage: { input: SendMessageRequest, output: SendMessageResult },
  SendMessageBatch: { input: SendMessageBatchRequest, output: SendMessageBatchResult },
  SetQueueAttributes: { input: SetQueueAttributesRequest },
  StartMessageMoveTask: { input: StartMessageMoveTaskRequest, output: StartMessageMoveTaskResult },
  TagQueue: { input: TagQueueRequest },
  UntagQueue: { input: UntagQueueRequest },
} as const;

export const errors: Record<string, ErrorModel> = {
  BatchEntryIdsNotDistinct: { queryCode: "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", status: 400 },
  BatchRequestTooLong: { queryCode: "AWS.SimpleQueueService.BatchRequestTooLong", status: 400 },
  EmptyBatchRequest: { queryCode: "AWS.SimpleQueueService.EmptyBatchRequest", status: 400 },
  InvalidAddress: { queryCode: "InvalidAddress", status: 404 },
  InvalidAttributeName: { queryCode: "InvalidAttributeName", status: 400 },
  InvalidAttributeValue: { queryCode: "InvalidAttributeValue", status: 400 },
  InvalidBatchEntryId: { queryCode: "AWS.SimpleQueueService.InvalidBatchEntryId", status: 400 },
  InvalidIdFormat: { queryCode: "InvalidIdFormat", status: 400 },
  InvalidMessageContents: { queryCode: "InvalidMessageContents", status: 400 },
  InvalidSecurity: { queryCode: "InvalidSecurity", status: 403 },
  KmsAccessDenied: { queryCode: "KMS.AccessDeniedException", status: 400 },
  KmsDisabled: { queryCode: "KMS.DisabledException", status: 400 },
  KmsInvalidKeyUsage: { queryCode: "KMS.InvalidKeyUsageException", status: 400 },
  KmsInvalidState: { queryCode: "KMS.InvalidStateException", status: 400 },
  KmsNotFound: { queryCode: "KMS.NotFoundException", status: 400 },
  KmsOptInRequired: { queryCode: "KMS.OptInRequired", status: 403 },
  KmsThrottled: { queryCode: "KMS.ThrottlingException", status: 400 },
  MessageNotInflight: { queryCode: "AWS.SimpleQueueService.MessageNotInflight", status: 400 },
  OverLimit: { queryCode: "OverLimit", status: 403 },
  PurgeQueueInProgress: { queryCode: "AWS.SimpleQueueService.PurgeQueueInProgress", status: 403 },
  QueueDeletedRecently: { queryCode: "AWS.SimpleQueueService.QueueDeletedRecently", status: 400 },
  QueueDoesNotExist: { queryCode: "AWS.SimpleQueueService.NonExistentQueue", status: 400 },
  QueueNameExists: { queryCode: "QueueAlreadyExists", status: 400 },
  ReceiptHandleIsInvalid: { queryCode: "ReceiptHandleIsInvalid", status: 404 },
  RequestThrottled: { queryCode: "RequestThrottled", status: 403 },
  ResourceNotFoundException: { queryCode: "ResourceNotFoundException", status: 404 },
  TooManyEntriesInBatchRequest: { queryCode: "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", status: 400 },
  UnsupportedOperation: { queryCode: "AWS.SimpleQueueService.UnsupportedOperation", status: 400 },
};
