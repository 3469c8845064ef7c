// The engine's door: a pure function of (state, command) with facts as its only effect.

export type { Context } from "./access/condition.ts";
export { type AccessDecision, type AccessRequest, evaluateDocument, evaluatePolicy } from "./access/evaluate-policy.ts";
export { missingStatement, type WrittenStatement } from "./access/missing-statement.ts";
export { type PolicyDocument, readPolicy } from "./access/policy-document.ts";
export type { Principal } from "./access/principal.ts";
export { apply } from "./apply.ts";
export { findQueue, requireQueue } from "./catalog/catalog.ts";
export { decideCreateQueue, decideDeleteQueue, decideSetQueueAttributes } from "./catalog/create-queue.ts";
export {
  closeInternalQueue,
  type InternalQueueSpec,
  internalQueueKey,
  isAsSpecified,
  isInternal,
  openInternalQueue,
} from "./catalog/internal-queue.ts";
export { listDeadLetterSourceQueues, listQueues } from "./catalog/list-queues.ts";
export { decideAddPermission, decideRemovePermission } from "./catalog/permission.ts";
export {
  deadLetterTargetArn,
  describedAttributes,
  isFifo,
  partitionConfig,
  type QueueRecord,
  receiveWaitMs,
} from "./catalog/queue-record.ts";
export type { ResourceEntry, Resources, ResourceType, ResourceTypes } from "./catalog/resources.ts";
export { decideTagQueue, decideUntagQueue } from "./catalog/tags.ts";
export { decide, type ShardAnswers, type ShardResult } from "./decide.ts";
export { type BodyRef, type Fact, isOfTime, type TransferTarget } from "./fact.ts";
export { type DecodedFact, decodeFacts, encodeFact } from "./fact-codec.ts";
export { decideDeleteEventInvoke, decidePutEventInvoke, getEventInvoke } from "./function/event-invoke.ts";
export {
  decideCreateFunction,
  decideDeleteFunction,
  decideReserveConcurrency,
  decideUpdateFunctionCode,
  decideUpdateFunctionSettings,
  listFunctions,
  refuseCreateFunction,
} from "./function/function.ts";
export {
  type FunctionAnswers,
  type FunctionCommand,
  type GivenCode,
  isFunctionCommand,
} from "./function/function-command.ts";
export {
  decideAddFunctionPermission,
  decideRemoveFunctionPermission,
  getFunctionPolicy,
} from "./function/function-permission.ts";
export {
  type EventInvokeConfig,
  type FunctionAlias,
  type FunctionForm,
  type FunctionKey,
  type FunctionRecord,
  type FunctionVersion,
  functionArn,
  LATEST,
  versionOf,
} from "./function/function-record.ts";
export { functionNotFound, requireFunction, requireVersion } from "./function/function-refusals.ts";
export { decideTagFunction, decideUntagFunction } from "./function/function-tags.ts";
export {
  decideCreateAlias,
  decideDeleteAlias,
  decidePublishVersion,
  decideUpdateAlias,
  getAlias,
} from "./function/function-version.ts";
export {
  decideCreateMapping,
  decideDeleteMapping,
  decideMappingFollowed,
  decideTagMapping,
  decideUntagMapping,
  decideUpdateMapping,
  listMappings,
  requireMapping,
} from "./function/mapping.ts";
export {
  isMappingOn,
  type MappingRecord,
  type MappingState,
  mappingArn,
  settledMappingState,
} from "./function/mapping-record.ts";
export { compileParsedPattern, compilePattern, type PatternProblem } from "./pattern/compile.ts";
export {
  type Dialect,
  EVENT_BRIDGE,
  EVENT_SOURCE_MAPPING,
  PIPES,
  SNS_ATTRIBUTES,
  SNS_BODY,
} from "./pattern/dialect.ts";
export type { Json, JsonObject } from "./pattern/json.ts";
export { Matcher } from "./pattern/matcher.ts";
export type { Pattern } from "./pattern/pattern.ts";
export { attributesEvent, bodyEvent } from "./pattern/sns-event.ts";
export {
  decodeEnvelope,
  type Envelope,
  envelopeMessageId,
  envelopeSentAtMs,
  readdressEnvelope,
} from "./queue/envelope.ts";
export { LiveBytesCount } from "./queue/live-bodies.ts";
export { DELAYED, IN_FLIGHT, TRANSFERRING } from "./queue/message-table.ts";
export { moveTaskSummary } from "./queue/move-task.ts";
export { sequenceNumber } from "./queue/send.ts";
export { parseQueueArn, queueArn } from "./queue-arn.ts";
export { decodeSnapshot } from "./restore-snapshot.ts";
export { encodeSnapshot, SnapshotWriter } from "./snapshot.ts";
export {
  type EngineSettings,
  type IncomingTransfer,
  type OutboxEntry,
  type Receipt,
  type Recorder,
  type ShardCommand,
  type ShardCommandKind,
  type ShardCommandOf,
  ShardState,
} from "./state.ts";
export {
  type Copy,
  copiedPublication,
  decodeCopy,
  envelopeDeduplicationId,
  isCopy,
  isReference,
  pointCopy,
  standalone,
} from "./topic/copy-envelope.ts";
export { decideCreateTopic, decideDeleteTopic, decideSetTopicAttribute } from "./topic/create-topic.ts";
export { type DeliveryPolicy, effectivePolicy, type HealthyRetryPolicy } from "./topic/delivery-policy.ts";
export type { CopyRequest, Published } from "./topic/fan-out.ts";
export { functionEventText } from "./topic/function-event.ts";
export { listSubscriptions, listSubscriptionsOfTopic, listTopics } from "./topic/list-topics.ts";
export {
  type Confirmation,
  confirmationText,
  confirmationToSign,
  notificationText,
  notificationToSign,
  type Signature,
  type SignatureVersion,
} from "./topic/notification.ts";
export { messageFor, type Publication } from "./topic/publication.ts";
export { deduplicationIdOf, refusePublish } from "./topic/refuse-publish.ts";
export { FUNCTION_RETRIES, retryDelayMs } from "./topic/retry-delay.ts";
export { decideSetSmsAttributes, smsAttributesOf } from "./topic/sms-attributes.ts";
export {
  decideConfirmSubscription,
  decideSetSubscriptionAttribute,
  decideSubscribe,
  decideUnsubscribe,
} from "./topic/subscribe.ts";
export { describedSubscription } from "./topic/subscription-attributes.ts";
export {
  isRaw,
  type ReplayProgress,
  replayStatus,
  type SubscriptionKey,
  type SubscriptionProtocol,
  type SubscriptionRecord,
  subscriptionArn,
} from "./topic/subscription-record.ts";
export { describedTopic } from "./topic/topic-attributes.ts";
export { isTopicCommand, type TopicAnswers, type TopicCommand } from "./topic/topic-command.ts";
export { decideAddTopicPermission, decideRemoveTopicPermission } from "./topic/topic-permission.ts";
export { isFifoTopic, type TopicKey, type TopicRecord, topicArn } from "./topic/topic-record.ts";
export { requireSubscription, requireTopic } from "./topic/topic-refusals.ts";
export { decideTagTopic, decideUntagTopic, listTopicTags } from "./topic/topic-tags.ts";
export { dueTasks, isTimeDue, isWorkDue, nextWakeMs, timeStep } from "./wake.ts";
