// The host's door.

export {
  compilePattern,
  EVENT_SOURCE_MAPPING,
  functionArn,
  type Json,
  type JsonObject,
  LATEST,
  Matcher,
  mappingArn,
  parseQueueArn,
  settledMappingState,
  versionOf,
} from "../engine/index.ts";
export type { AccessMode } from "./access.ts";
export type { DeliveryFailure } from "./delivery-records.ts";
export type { FunctionListener, FunctionRunner } from "./function-runner.ts";
export type {
  ExecuteOptions,
  Host,
  HostOptions,
  HostStatus,
  HostThresholds,
  IdSource,
  InspectedMessage,
  MessageState,
  ShardStatus,
} from "./host.ts";
export type { NotificationSettings, NotificationSigner } from "./open-envelope.ts";
export type { Outbound, OutboundMail, OutboundPost, OutboundResult } from "./outbound.ts";
export { startHost } from "./start-host.ts";
export type { SubscriptionReport } from "./subscription-report.ts";
export type { Work, WorkQueue, WorkQueueOptions } from "./work-queue.ts";
