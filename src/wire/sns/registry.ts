// SNS's operations, all of them, each that does something in a file of its own.

import type { Operation } from "../protocol/operation.ts";
import { operationsByName } from "../protocol/service.ts";
import { addPermission } from "./add-permission.ts";
import { confirmSubscription } from "./confirm-subscription.ts";
import { createTopic } from "./create-topic.ts";
import { deleteTopic } from "./delete-topic.ts";
import { getSmsAttributes } from "./get-sms-attributes.ts";
import { getSubscriptionAttributes } from "./get-subscription-attributes.ts";
import { getTopicAttributes } from "./get-topic-attributes.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { listSubscriptionsByTopic } from "./list-subscriptions-by-topic.ts";
import { listTagsForResource } from "./list-tags-for-resource.ts";
import { listTopics } from "./list-topics.ts";
import { notOffered } from "./not-offered.ts";
import type { OperationName } from "./operation.ts";
import { checkIfPhoneNumberIsOptedOut, listPhoneNumbersOptedOut, optInPhoneNumber } from "./opted-out.ts";
import { publish } from "./publish.ts";
import { publishBatch } from "./publish-batch.ts";
import { removePermission } from "./remove-permission.ts";
import { setSmsAttributes } from "./set-sms-attributes.ts";
import { setSubscriptionAttributes } from "./set-subscription-attributes.ts";
import { setTopicAttributes } from "./set-topic-attributes.ts";
import { subscribe } from "./subscribe.ts";
import { tagResource } from "./tag-resource.ts";
import { unsubscribe } from "./unsubscribe.ts";
import { untagResource } from "./untag-resource.ts";

const everyOperation: Record<OperationName, Operation> = {
  // Topics
  CreateTopic: createTopic,
  DeleteTopic: deleteTopic,
  ListTopics: listTopics,
  GetTopicAttributes: getTopicAttributes,
  SetTopicAttributes: setTopicAttributes,
  TagResource: tagResource,
  UntagResource: untagResource,
  ListTagsForResource: listTagsForResource,
  AddPermission: addPermission,
  RemovePermission: removePermission,

  // Subscriptions
  Subscribe: subscribe,
  ConfirmSubscription: confirmSubscription,
  Unsubscribe: unsubscribe,
  ListSubscriptions: listSubscriptions,
  ListSubscriptionsByTopic: listSubscriptionsByTopic,
  GetSubscriptionAttributes: getSubscriptionAttributes,
  SetSubscriptionAttributes: setSubscriptionAttributes,

  // Messages
  Publish: publish,
  PublishBatch: publishBatch,

  // Text messages
  GetSMSAttributes: getSmsAttributes,
  SetSMSAttributes: setSmsAttributes,
  CheckIfPhoneNumberIsOptedOut: checkIfPhoneNumberIsOptedOut,
  ListPhoneNumbersOptedOut: listPhoneNumbersOptedOut,
  OptInPhoneNumber: optInPhoneNumber,
  ListOriginationNumbers: notOffered("ListOriginationNumbers"),
  CreateSMSSandboxPhoneNumber: notOffered("CreateSMSSandboxPhoneNumber"),
  DeleteSMSSandboxPhoneNumber: notOffered("DeleteSMSSandboxPhoneNumber"),
  GetSMSSandboxAccountStatus: notOffered("GetSMSSandboxAccountStatus"),
  ListSMSSandboxPhoneNumbers: notOffered("ListSMSSandboxPhoneNumbers"),
  VerifySMSSandboxPhoneNumber: notOffered("VerifySMSSandboxPhoneNumber"),

  // Mobile push
  CreatePlatformApplication: notOffered("CreatePlatformApplication"),
  CreatePlatformEndpoint: notOffered("CreatePlatformEndpoint"),
  DeleteEndpoint: notOffered("DeleteEndpoint"),
  DeletePlatformApplication: notOffered("DeletePlatformApplication"),
  GetEndpointAttributes: notOffered("GetEndpointAttributes"),
  GetPlatformApplicationAttributes: notOffered("GetPlatformApplicationAttributes"),
  ListEndpointsByPlatformApplication: notOffered("ListEndpointsByPlatformApplication"),
  ListPlatformApplications: notOffered("ListPlatformApplications"),
  SetEndpointAttributes: notOffered("SetEndpointAttributes"),
  SetPlatformApplicationAttributes: notOffered("SetPlatformApplicationAttributes"),

  // Data protection
  GetDataProtectionPolicy: notOffered("GetDataProtectionPolicy"),
  PutDataProtectionPolicy: notOffered("PutDataProtectionPolicy"),
};

export const snsOperations = operationsByName(everyOperation);
