// Written by scripts/generate-models.ts from the schemas of @aws-sdk/client-lambda 3.1164.0. Do not edit: change the
// script and run it again. It says what Lambda's operations take and answer, and where in HTTP.

import { blob, boolean, integer, list, map, optional, required, structure, text, timestamp } from "../protocol/model.ts";
import type { ErrorModel } from "../protocol/model.ts";

export const SERVICE_NAMESPACE = "com.amazonaws.lambda";
export const API_VERSION = "2015-03-31";
export const TARGET_PREFIX = "AWSGirApiService";

const AddPermissionRequest = structure("AddPermissionRequest", {
  FunctionName: required(text),
  StatementId: required(text),
  Action: required(text),
  Principal: required(text),
  SourceArn: optional(text),
  FunctionUrlAuthType: optional(text),
  InvokedViaFunctionUrl: optional(boolean),
  SourceAccount: optional(text),
  EventSourceToken: optional(text),
  Qualifier: optional(text),
  RevisionId: optional(text),
  PrincipalOrgID: optional(text),
});

const AddPermissionResponse = structure("AddPermissionResponse", {
  Statement: optional(text),
});

const AliasRoutingConfiguration = structure("AliasRoutingConfiguration", {
  AdditionalVersionWeights: optional(map("key", "value", integer)),
});

const CreateAliasRequest = structure("CreateAliasRequest", {
  FunctionName: required(text),
  Name: required(text),
  FunctionVersion: required(text),
  Description: optional(text),
  RoutingConfig: optional(AliasRoutingConfiguration),
});

const AliasConfiguration = structure("AliasConfiguration", {
  AliasArn: optional(text),
  Name: optional(text),
  FunctionVersion: optional(text),
  Description: optional(text),
  RoutingConfig: optional(AliasRoutingConfiguration),
  RevisionId: optional(text),
});

const Filter = structure("Filter", {
  Pattern: optional(text),
});

const FilterList = list(Filter);

const FilterCriteria = structure("FilterCriteria", {
  Filters: optional(FilterList),
});

const EventSourceMappingMetricsConfig = structure("EventSourceMappingMetricsConfig", {
  Metrics: optional(list(text)),
});

const EventSourceMappingLoggingConfig = structure("EventSourceMappingLoggingConfig", {
  SystemLogLevel: optional(text),
});

const ScalingConfig = structure("ScalingConfig", {
  MaximumConcurrency: optional(integer),
});

const OnSuccess = structure("OnSuccess", {
  Destination: optional(text),
});

const OnFailure = structure("OnFailure", {
  Destination: optional(text),
});

const DestinationConfig = structure("DestinationConfig", {
  OnSuccess: optional(OnSuccess),
  OnFailure: optional(OnFailure),
});

const SourceAccessConfiguration = structure("SourceAccessConfiguration", {
  Type: optional(text),
  URI: optional(text),
});

const SourceAccessConfigurations = list(SourceAccessConfiguration);

const Endpoints = map("key", "value", list(text));

const SelfManagedEventSource = structure("SelfManagedEventSource", {
  Endpoints: optional(Endpoints),
});

const KafkaSchemaRegistryAccessConfig = structure("KafkaSchemaRegistryAccessConfig", {
  Type: optional(text),
  URI: optional(text),
});

const KafkaSchemaRegistryAccessConfigList = list(KafkaSchemaRegistryAccessConfig);

const KafkaSchemaValidationConfig = structure("KafkaSchemaValidationConfig", {
  Attribute: optional(text),
});

const KafkaSchemaValidationConfigList = list(KafkaSchemaValidationConfig);

const KafkaSchemaRegistryConfig = structure("KafkaSchemaRegistryConfig", {
  SchemaRegistryURI: optional(text),
  EventRecordFormat: optional(text),
  AccessConfigs: optional(KafkaSchemaRegistryAccessConfigList),
  SchemaValidationConfigs: optional(KafkaSchemaValidationConfigList),
});

const AmazonManagedKafkaEventSourceConfig = structure("AmazonManagedKafkaEventSourceConfig", {
  ConsumerGroupId: optional(text),
  SchemaRegistryConfig: optional(KafkaSchemaRegistryConfig),
});

const SelfManagedKafkaEventSourceConfig = structure("SelfManagedKafkaEventSourceConfig", {
  ConsumerGroupId: optional(text),
  SchemaRegistryConfig: optional(KafkaSchemaRegistryConfig),
  ConsumptionMode: optional(text),
});

const DocumentDBEventSourceConfig = structure("DocumentDBEventSourceConfig", {
  DatabaseName: optional(text),
  CollectionName: optional(text),
  FullDocument: optional(text),
});

const ProvisionedPollerConfig = structure("ProvisionedPollerConfig", {
  MinimumPollers: optional(integer),
  MaximumPollers: optional(integer),
  PollerGroupName: optional(text),
});

const CreateEventSourceMappingRequest = structure("CreateEventSourceMappingRequest", {
  FunctionName: required(text),
  EventSourceArn: optional(text),
  Enabled: optional(boolean),
  BatchSize: optional(integer),
  FilterCriteria: optional(FilterCriteria),
  KMSKeyArn: optional(text),
  MetricsConfig: optional(EventSourceMappingMetricsConfig),
  LoggingConfig: optional(EventSourceMappingLoggingConfig),
  ScalingConfig: optional(ScalingConfig),
  MaximumBatchingWindowInSeconds: optional(integer),
  ParallelizationFactor: optional(integer),
  StartingPosition: optional(text),
  StartingPositionTimestamp: optional(timestamp),
  DestinationConfig: optional(DestinationConfig),
  MaximumRecordAgeInSeconds: optional(integer),
  BisectBatchOnFunctionError: optional(boolean),
  MaximumRetryAttempts: optional(integer),
  Tags: optional(map("key", "value", text)),
  TumblingWindowInSeconds: optional(integer),
  Topics: optional(list(text)),
  Queues: optional(list(text)),
  SourceAccessConfigurations: optional(SourceAccessConfigurations),
  SelfManagedEventSource: optional(SelfManagedEventSource),
  FunctionResponseTypes: optional(list(text)),
  AmazonManagedKafkaEventSourceConfig: optional(AmazonManagedKafkaEventSourceConfig),
  SelfManagedKafkaEventSourceConfig: optional(SelfManagedKafkaEventSourceConfig),
  DocumentDBEventSourceConfig: optional(DocumentDBEventSourceConfig),
  ProvisionedPollerConfig: optional(ProvisionedPollerConfig),
});

const FilterCriteriaError = structure("FilterCriteriaError", {
  ErrorCode: optional(text),
  Message: optional(text),
});

const EventSourceMappingConfiguration = structure("EventSourceMappingConfiguration", {
  UUID: optional(text),
  StartingPosition: optional(text),
  StartingPositionTimestamp: optional(timestamp),
  BatchSize: optional(integer),
  MaximumBatchingWindowInSeconds: optional(integer),
  ParallelizationFactor: optional(integer),
  EventSourceArn: optional(text),
  FilterCriteria: optional(FilterCriteria),
  FilterCriteriaError: optional(FilterCriteriaError),
  KMSKeyArn: optional(text),
  MetricsConfig: optional(EventSourceMappingMetricsConfig),
  LoggingConfig: optional(EventSourceMappingLoggingConfig),
  ScalingConfig: optional(ScalingConfig),
  FunctionArn: optional(text),
  LastModified: optional(timestamp),
  LastProcessingResult: optional(text),
  State: optional(text),
  StateTransitionReason: optional(text),
  DestinationConfig: optional(DestinationConfig),
  Topics: optional(list(text)),
  Queues: optional(list(text)),
  SourceAccessConfigurations: optional(SourceAccessConfigurations),
  SelfManagedEventSource: optional(SelfManagedEventSource),
  MaximumRecordAgeInSeconds: optional(integer),
  BisectBatchOnFunctionError: optional(boolean),
  MaximumRetryAttempts: optional(integer),
  TumblingWindowInSeconds: optional(integer),
  FunctionResponseTypes: optional(list(text)),
  AmazonManagedKafkaEventSourceConfig: optional(AmazonManagedKafkaEventSourceConfig),
  SelfManagedKafkaEventSourceConfig: optional(SelfManagedKafkaEventSourceConfig),
  DocumentDBEventSourceConfig: optional(DocumentDBEventSourceConfig),
  EventSourceMappingArn: optional(text),
  ProvisionedPollerConfig: optional(ProvisionedPollerConfig),
});

const FunctionCode = structure("FunctionCode", {
  ZipFile: optional(blob),
  S3Bucket: optional(text),
  S3Key: optional(text),
  S3ObjectVersion: optional(text),
  S3ObjectStorageMode: optional(text),
  ImageUri: optional(text),
  SourceKMSKeyArn: optional(text),
});

const VpcConfig = structure("VpcConfig", {
  SubnetIds: optional(list(text)),
  SecurityGroupIds: optional(list(text)),
  Ipv6AllowedForDualStack: optional(boolean),
});

const DeadLetterConfig = structure("DeadLetterConfig", {
  TargetArn: optional(text),
});

const EnvironmentVariables = map("key", "value", text);

const Environment = structure("Environment", {
  Variables: optional(EnvironmentVariables),
});

const TracingConfig = structure("TracingConfig", {
  Mode: optional(text),
});

const S3FilesConfig = structure("S3FilesConfig", {
  DirectS3Read: optional(text),
});

const FileSystemConfig = structure("FileSystemConfig", {
  Arn: required(text),
  LocalMountPath: required(text),
  S3FilesConfig: optional(S3FilesConfig),
});

const FileSystemConfigList = list(FileSystemConfig);

const ImageConfig = structure("ImageConfig", {
  EntryPoint: optional(list(text)),
  Command: optional(list(text)),
  WorkingDirectory: optional(text),
});

const EphemeralStorage = structure("EphemeralStorage", {
  Size: required(integer),
});

const SnapStart = structure("SnapStart", {
  ApplyOn: optional(text),
});

const LoggingConfig = structure("LoggingConfig", {
  LogFormat: optional(text),
  ApplicationLogLevel: optional(text),
  SystemLogLevel: optional(text),
  LogGroup: optional(text),
});

const TenancyConfig = structure("TenancyConfig", {
  TenantIsolationMode: required(text),
});

const LambdaManagedInstancesCapacityProviderConfig = structure("LambdaManagedInstancesCapacityProviderConfig", {
  CapacityProviderArn: required(text),
  PerExecutionEnvironmentMaxConcurrency: optional(integer),
  ExecutionEnvironmentMemoryGiBPerVCpu: optional(integer),
});

const CapacityProviderConfig = structure("CapacityProviderConfig", {
  LambdaManagedInstancesCapacityProviderConfig: required(LambdaManagedInstancesCapacityProviderConfig),
});

const DurableConfig = structure("DurableConfig", {
  KMSKeyArn: optional(text),
  RetentionPeriodInDays: optional(integer),
  ExecutionTimeout: optional(integer),
});

const CreateFunctionRequest = structure("CreateFunctionRequest", {
  FunctionName: required(text),
  Role: required(text),
  Code: required(FunctionCode),
  Runtime: optional(text),
  Handler: optional(text),
  Description: optional(text),
  Timeout: optional(integer),
  MemorySize: optional(integer),
  Publish: optional(boolean),
  PublishTo: optional(text),
  VpcConfig: optional(VpcConfig),
  PackageType: optional(text),
  DeadLetterConfig: optional(DeadLetterConfig),
  Environment: optional(Environment),
  KMSKeyArn: optional(text),
  TracingConfig: optional(TracingConfig),
  Tags: optional(map("key", "value", text)),
  Layers: optional(list(text)),
  FileSystemConfigs: optional(FileSystemConfigList),
  CodeSigningConfigArn: optional(text),
  ImageConfig: optional(ImageConfig),
  Architectures: optional(list(text)),
  EphemeralStorage: optional(EphemeralStorage),
  SnapStart: optional(SnapStart),
  LoggingConfig: optional(LoggingConfig),
  TenancyConfig: optional(TenancyConfig),
  CapacityProviderConfig: optional(CapacityProviderConfig),
  DurableConfig: optional(DurableConfig),
});

const VpcConfigResponse = structure("VpcConfigResponse", {
  SubnetIds: optional(list(text)),
  SecurityGroupIds: optional(list(text)),
  VpcId: optional(text),
  Ipv6AllowedForDualStack: optional(boolean),
});

const EnvironmentError = structure("EnvironmentError", {
  ErrorCode: optional(text),
  Message: optional(text),
});

const EnvironmentResponse = structure("EnvironmentResponse", {
  Variables: optional(EnvironmentVariables),
  Error: optional(EnvironmentError),
});

const TracingConfigResponse = structure("TracingConfigResponse", {
  Mode: optional(text),
});

const Layer = structure("Layer", {
  Arn: optional(text),
  CodeSize: optional(integer),
  SigningProfileVersionArn: optional(text),
  SigningJobArn: optional(text),
});

const LayersReferenceList = list(Layer);

const ImageConfigError = structure("ImageConfigError", {
  ErrorCode: optional(text),
  Message: optional(text),
});

const ImageConfigResponse = structure("ImageConfigResponse", {
  ImageConfig: optional(ImageConfig),
  Error: optional(ImageConfigError),
});

const SnapStartResponse = structure("SnapStartResponse", {
  ApplyOn: optional(text),
  OptimizationStatus: optional(text),
});

const RuntimeVersionError = structure("RuntimeVersionError", {
  ErrorCode: optional(text),
  Message: optional(text),
});

const RuntimeVersionConfig = structure("RuntimeVersionConfig", {
  RuntimeVersionArn: optional(text),
  Error: optional(RuntimeVersionError),
});

const FunctionConfiguration = structure("FunctionConfiguration", {
  FunctionName: optional(text),
  FunctionArn: optional(text),
  Runtime: optional(text),
  Role: optional(text),
  Handler: optional(text),
  CodeSize: optional(integer),
  Description: optional(text),
  Timeout: optional(integer),
  MemorySize: optional(integer),
  LastModified: optional(text),
  CodeSha256: optional(text),
  Version: optional(text),
  VpcConfig: optional(VpcConfigResponse),
  DeadLetterConfig: optional(DeadLetterConfig),
  Environment: optional(EnvironmentResponse),
  KMSKeyArn: optional(text),
  TracingConfig: optional(TracingConfigResponse),
  MasterArn: optional(text),
  RevisionId: optional(text),
  Layers: optional(LayersReferenceList),
  State: optional(text),
  StateReason: optional(text),
  StateReasonCode: optional(text),
  LastUpdateStatus: optional(text),
  LastUpdateStatusReason: optional(text),
  LastUpdateStatusReasonCode: optional(text),
  FileSystemConfigs: optional(FileSystemConfigList),
  SigningProfileVersionArn: optional(text),
  SigningJobArn: optional(text),
  PackageType: optional(text),
  ImageConfigResponse: optional(ImageConfigResponse),
  Architectures: optional(list(text)),
  EphemeralStorage: optional(EphemeralStorage),
  SnapStart: optional(SnapStartResponse),
  RuntimeVersionConfig: optional(RuntimeVersionConfig),
  LoggingConfig: optional(LoggingConfig),
  TenancyConfig: optional(TenancyConfig),
  CapacityProviderConfig: optional(CapacityProviderConfig),
  ConfigSha256: optional(text),
  DurableConfig: optional(DurableConfig),
});

const DeleteAliasRequest = structure("DeleteAliasRequest", {
  FunctionName: required(text),
  Name: required(text),
});

const DeleteEventSourceMappingRequest = structure("DeleteEventSourceMappingRequest", {
  UUID: required(text),
});

const DeleteFunctionRequest = structure("DeleteFunctionRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
});

const DeleteFunctionResponse = structure("DeleteFunctionResponse", {
  StatusCode: optional(integer),
});

const DeleteFunctionConcurrencyRequest = structure("DeleteFunctionConcurrencyRequest", {
  FunctionName: required(text),
});

const DeleteFunctionEventInvokeConfigRequest = structure("DeleteFunctionEventInvokeConfigRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
});

const GetAccountSettingsRequest = structure("GetAccountSettingsRequest", {});

const AccountLimit = structure("AccountLimit", {
  TotalCodeSize: optional(integer),
  CodeSizeUnzipped: optional(integer),
  CodeSizeZipped: optional(integer),
  ConcurrentExecutions: optional(integer),
  UnreservedConcurrentExecutions: optional(integer),
});

const AccountUsage = structure("AccountUsage", {
  TotalCodeSize: optional(integer),
  FunctionCount: optional(integer),
});

const GetAccountSettingsResponse = structure("GetAccountSettingsResponse", {
  AccountLimit: optional(AccountLimit),
  AccountUsage: optional(AccountUsage),
});

const GetAliasRequest = structure("GetAliasRequest", {
  FunctionName: required(text),
  Name: required(text),
});

const GetEventSourceMappingRequest = structure("GetEventSourceMappingRequest", {
  UUID: required(text),
});

const GetFunctionRequest = structure("GetFunctionRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
});

const ResolvedS3Object = structure("ResolvedS3Object", {
  S3Bucket: optional(text),
  S3Key: optional(text),
  S3ObjectVersion: optional(text),
});

const FunctionCodeLocationError = structure("FunctionCodeLocationError", {
  ErrorCode: optional(text),
  Message: optional(text),
});

const FunctionCodeLocation = structure("FunctionCodeLocation", {
  RepositoryType: optional(text),
  Location: optional(text),
  ImageUri: optional(text),
  ResolvedImageUri: optional(text),
  ResolvedS3Object: optional(ResolvedS3Object),
  SourceKMSKeyArn: optional(text),
  Error: optional(FunctionCodeLocationError),
});

const TagsError = structure("TagsError", {
  ErrorCode: required(text),
  Message: required(text),
});

const Concurrency = structure("Concurrency", {
  ReservedConcurrentExecutions: optional(integer),
});

const GetFunctionResponse = structure("GetFunctionResponse", {
  Configuration: optional(FunctionConfiguration),
  Code: optional(FunctionCodeLocation),
  Tags: optional(map("key", "value", text)),
  TagsError: optional(TagsError),
  Concurrency: optional(Concurrency),
});

const GetFunctionCodeSigningConfigRequest = structure("GetFunctionCodeSigningConfigRequest", {
  FunctionName: required(text),
});

const GetFunctionCodeSigningConfigResponse = structure("GetFunctionCodeSigningConfigResponse", {
  CodeSigningConfigArn: required(text),
  FunctionName: required(text),
});

const GetFunctionConcurrencyRequest = structure("GetFunctionConcurrencyRequest", {
  FunctionName: required(text),
});

const GetFunctionConcurrencyResponse = structure("GetFunctionConcurrencyResponse", {
  ReservedConcurrentExecutions: optional(integer),
});

const GetFunctionConfigurationRequest = structure("GetFunctionConfigurationRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
});

const GetFunctionEventInvokeConfigRequest = structure("GetFunctionEventInvokeConfigRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
});

const FunctionEventInvokeConfig = structure("FunctionEventInvokeConfig", {
  LastModified: optional(timestamp),
  FunctionArn: optional(text),
  MaximumRetryAttempts: optional(integer),
  MaximumEventAgeInSeconds: optional(integer),
  DestinationConfig: optional(DestinationConfig),
});

const GetPolicyRequest = structure("GetPolicyRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
});

const GetPolicyResponse = structure("GetPolicyResponse", {
  Policy: optional(text),
  RevisionId: optional(text),
});

const InvocationRequest = structure("InvocationRequest", {
  FunctionName: required(text),
  InvocationType: optional(text),
  LogType: optional(text),
  ClientContext: optional(text),
  DurableExecutionName: optional(text),
  Payload: optional(blob),
  Qualifier: optional(text),
  TenantId: optional(text),
});

const InvocationResponse = structure("InvocationResponse", {
  StatusCode: optional(integer),
  FunctionError: optional(text),
  LogResult: optional(text),
  Payload: optional(blob),
  ExecutedVersion: optional(text),
  DurableExecutionArn: optional(text),
});

const ListAliasesRequest = structure("ListAliasesRequest", {
  FunctionName: required(text),
  FunctionVersion: optional(text),
  Marker: optional(text),
  MaxItems: optional(integer),
});

const AliasList = list(AliasConfiguration);

const ListAliasesResponse = structure("ListAliasesResponse", {
  NextMarker: optional(text),
  Aliases: optional(AliasList),
});

const ListEventSourceMappingsRequest = structure("ListEventSourceMappingsRequest", {
  EventSourceArn: optional(text),
  FunctionName: optional(text),
  Marker: optional(text),
  MaxItems: optional(integer),
});

const EventSourceMappingsList = list(EventSourceMappingConfiguration);

const ListEventSourceMappingsResponse = structure("ListEventSourceMappingsResponse", {
  NextMarker: optional(text),
  EventSourceMappings: optional(EventSourceMappingsList),
});

const ListFunctionEventInvokeConfigsRequest = structure("ListFunctionEventInvokeConfigsRequest", {
  FunctionName: required(text),
  Marker: optional(text),
  MaxItems: optional(integer),
});

const FunctionEventInvokeConfigList = list(FunctionEventInvokeConfig);

const ListFunctionEventInvokeConfigsResponse = structure("ListFunctionEventInvokeConfigsResponse", {
  FunctionEventInvokeConfigs: optional(FunctionEventInvokeConfigList),
  NextMarker: optional(text),
});

const ListFunctionsRequest = structure("ListFunctionsRequest", {
  MasterRegion: optional(text),
  FunctionVersion: optional(text),
  Marker: optional(text),
  MaxItems: optional(integer),
});

const FunctionList = list(FunctionConfiguration);

const ListFunctionsResponse = structure("ListFunctionsResponse", {
  NextMarker: optional(text),
  Functions: optional(FunctionList),
});

const ListTagsRequest = structure("ListTagsRequest", {
  Resource: required(text),
});

const ListTagsResponse = structure("ListTagsResponse", {
  Tags: optional(map("key", "value", text)),
});

const ListVersionsByFunctionRequest = structure("ListVersionsByFunctionRequest", {
  FunctionName: required(text),
  Marker: optional(text),
  MaxItems: optional(integer),
});

const ListVersionsByFunctionResponse = structure("ListVersionsByFunctionResponse", {
  NextMarker: optional(text),
  Versions: optional(FunctionList),
});

const PublishVersionRequest = structure("PublishVersionRequest", {
  FunctionName: required(text),
  CodeSha256: optional(text),
  Description: optional(text),
  RevisionId: optional(text),
  PublishTo: optional(text),
});

const PutFunctionConcurrencyRequest = structure("PutFunctionConcurrencyRequest", {
  FunctionName: required(text),
  ReservedConcurrentExecutions: required(integer),
});

const PutFunctionEventInvokeConfigRequest = structure("PutFunctionEventInvokeConfigRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
  MaximumRetryAttempts: optional(integer),
  MaximumEventAgeInSeconds: optional(integer),
  DestinationConfig: optional(DestinationConfig),
});

const RemovePermissionRequest = structure("RemovePermissionRequest", {
  FunctionName: required(text),
  StatementId: required(text),
  Qualifier: optional(text),
  RevisionId: optional(text),
});

const TagResourceRequest = structure("TagResourceRequest", {
  Resource: required(text),
  Tags: required(map("key", "value", text)),
});

const TagKeyList = list(text, "Key");

const UntagResourceRequest = structure("UntagResourceRequest", {
  Resource: required(text),
  TagKeys: required(TagKeyList),
});

const UpdateAliasRequest = structure("UpdateAliasRequest", {
  FunctionName: required(text),
  Name: required(text),
  FunctionVersion: optional(text),
  Description: optional(text),
  RoutingConfig: optional(AliasRoutingConfiguration),
  RevisionId: optional(text),
});

const UpdateEventSourceMappingRequest = structure("UpdateEventSourceMappingRequest", {
  UUID: required(text),
  FunctionName: optional(text),
  Enabled: optional(boolean),
  BatchSize: optional(integer),
  FilterCriteria: optional(FilterCriteria),
  KMSKeyArn: optional(text),
  MetricsConfig: optional(EventSourceMappingMetricsConfig),
  LoggingConfig: optional(EventSourceMappingLoggingConfig),
  ScalingConfig: optional(ScalingConfig),
  MaximumBatchingWindowInSeconds: optional(integer),
  ParallelizationFactor: optional(integer),
  DestinationConfig: optional(DestinationConfig),
  MaximumRecordAgeInSeconds: optional(integer),
  BisectBatchOnFunctionError: optional(boolean),
  MaximumRetryAttempts: optional(integer),
  TumblingWindowInSeconds: optional(integer),
  SourceAccessConfigurations: optional(SourceAccessConfigurations),
  FunctionResponseTypes: optional(list(text)),
  AmazonManagedKafkaEventSourceConfig: optional(AmazonManagedKafkaEventSourceConfig),
  SelfManagedKafkaEventSourceConfig: optional(SelfManagedKafkaEventSourceConfig),
  DocumentDBEventSourceConfig: optional(DocumentDBEventSourceConfig),
  ProvisionedPollerConfig: optional(ProvisionedPollerConfig),
});

const UpdateFunctionCodeRequest = structure("UpdateFunctionCodeRequest", {
  FunctionName: required(text),
  ZipFile: optional(blob),
  S3Bucket: optional(text),
  S3Key: optional(text),
  S3ObjectVersion: optional(text),
  S3ObjectStorageMode: optional(text),
  ImageUri: optional(text),
  Architectures: optional(list(text)),
  Publish: optional(boolean),
  PublishTo: optional(text),
  DryRun: optional(boolean),
  RevisionId: optional(text),
  SourceKMSKeyArn: optional(text),
});

const UpdateFunctionConfigurationRequest = structure("UpdateFunctionConfigurationRequest", {
  FunctionName: required(text),
  Role: optional(text),
  Handler: optional(text),
  Description: optional(text),
  Timeout: optional(integer),
  MemorySize: optional(integer),
  VpcConfig: optional(VpcConfig),
  Environment: optional(Environment),
  Runtime: optional(text),
  DeadLetterConfig: optional(DeadLetterConfig),
  KMSKeyArn: optional(text),
  TracingConfig: optional(TracingConfig),
  RevisionId: optional(text),
  Layers: optional(list(text)),
  FileSystemConfigs: optional(FileSystemConfigList),
  ImageConfig: optional(ImageConfig),
  EphemeralStorage: optional(EphemeralStorage),
  SnapStart: optional(SnapStart),
  LoggingConfig: optional(LoggingConfig),
  CapacityProviderConfig: optional(CapacityProviderConfig),
  DurableConfig: optional(DurableConfig),
});

const UpdateFunctionEventInvokeConfigRequest = structure("UpdateFunctionEventInvokeConfigRequest", {
  FunctionName: required(text),
  Qualifier: optional(text),
  MaximumRetryAttempts: optional(integer),
  MaximumEventAgeInSeconds: optional(integer),
  DestinationConfig: optional(DestinationConfig),
});

export const operations = {
  AddPermission: {
    input: AddPermissionRequest,
    output: AddPermissionResponse,
    http: {
      method: "POST",
      path: "/2015-03-31/functions/{FunctionName}/policy",
      status: 201,
      query: { Qualifier: "Qualifier" },
    },
  },
  CreateAlias: {
    input: CreateAliasRequest,
    output: AliasConfiguration,
    http: { method: "POST", path: "/2015-03-31/functions/{FunctionName}/aliases", status: 201 },
  },
  CreateEventSourceMapping: {
    input: CreateEventSourceMappingRequest,
    output: EventSourceMappingConfiguration,
    http: { method: "POST", path: "/2015-03-31/event-source-mappings", status: 202 },
  },
  CreateFunction: {
    input: CreateFunctionRequest,
    output: FunctionConfiguration,
    http: { method: "POST", path: "/2015-03-31/functions", status: 201 },
  },
  DeleteAlias: {
    input: DeleteAliasRequest,
    http: { method: "DELETE", path: "/2015-03-31/functions/{FunctionName}/aliases/{Name}", status: 204 },
  },
  DeleteEventSourceMapping: {
    input: DeleteEventSourceMappingRequest,
    output: EventSourceMappingConfiguration,
    http: { method: "DELETE", path: "/2015-03-31/event-source-mappings/{UUID}", status: 202 },
  },
  DeleteFunction: {
    input: DeleteFunctionRequest,
    output: DeleteFunctionResponse,
    http: {
      method: "DELETE",
      path: "/2015-03-31/functions/{FunctionName}",
      status: 200,
      query: { Qualifier: "Qualifier" },
      answerStatus: "StatusCode",
    },
  },
  DeleteFunctionConcurrency: {
    input: DeleteFunctionConcurrencyRequest,
    http: { method: "DELETE", path: "/2017-10-31/functions/{FunctionName}/concurrency", status: 204 },
  },
  DeleteFunctionEventInvokeConfig: {
    input: DeleteFunctionEventInvokeConfigRequest,
    http: {
      method: "DELETE",
      path: "/2019-09-25/functions/{FunctionName}/event-invoke-config",
      status: 204,
      query: { Qualifier: "Qualifier" },
    },
  },
  GetAccountSettings: {
    input: GetAccountSettingsRequest,
    output: GetAccountSettingsResponse,
    http: { method: "GET", path: "/2016-08-19/account-settings", status: 200 },
  },
  GetAlias: {
    input: GetAliasRequest,
    output: AliasConfiguration,
    http: { method: "GET", path: "/2015-03-31/functions/{FunctionName}/aliases/{Name}", status: 200 },
  },
  GetEventSourceMapping: {
    input: GetEventSourceMappingRequest,
    output: EventSourceMappingConfiguration,
    http: { method: "GET", path: "/2015-03-31/event-source-mappings/{UUID}", status: 200 },
  },
  GetFunction: {
    input: GetFunctionRequest,
    output: GetFunctionResponse,
    http: {
      method: "GET",
      path: "/2015-03-31/functions/{FunctionName}",
      status: 200,
      query: { Qualifier: "Qualifier" },
    },
  },
  GetFunctionCodeSigningConfig: {
    input: GetFunctionCodeSigningConfigRequest,
    output: GetFunctionCodeSigningConfigResponse,
    http: { method: "GET", path: "/2020-06-30/functions/{FunctionName}/code-signing-config", status: 200 },
  },
  GetFunctionConcurrency: {
    input: GetFunctionConcurrencyRequest,
    output: GetFunctionConcurrencyResponse,
    http: { method: "GET", path: "/2019-09-30/functions/{FunctionName}/concurrency", status: 200 },
  },
  GetFunctionConfiguration: {
    input: GetFunctionConfigurationRequest,
    output: FunctionConfiguration,
    http: {
      method: "GET",
      path: "/2015-03-31/functions/{FunctionName}/configuration",
      status: 200,
      query: { Qualifier: "Qualifier" },
    },
  },
  GetFunctionEventInvokeConfig: {
    input: GetFunctionEventInvokeConfigRequest,
    output: FunctionEventInvokeConfig,
    http: {
      method: "GET",
      path: "/2019-09-25/functions/{FunctionName}/event-invoke-config",
      status: 200,
      query: { Qualifier: "Qualifier" },
    },
  },
  GetPolicy: {
    input: GetPolicyRequest,
    output: GetPolicyResponse,
    http: {
      method: "GET",
      path: "/2015-03-31/functions/{FunctionName}/policy",
      status: 200,
      query: { Qualifier: "Qualifier" },
    },
  },
  Invoke: {
    input: InvocationRequest,
    output: InvocationResponse,
    http: {
      method: "POST",
      path: "/2015-03-31/functions/{FunctionName}/invocations",
      status: 200,
      query: { Qualifier: "Qualifier" },
      headers: { InvocationType: "X-Amz-Invocation-Type", LogType: "X-Amz-Log-Type", ClientContext: "X-Amz-Client-Context", DurableExecutionName: "X-Amz-Durable-Execution-Name", TenantId: "X-Amz-Tenant-Id" },
      payload: "Payload",
      answerHeaders: { FunctionError: "X-Amz-Function-Error", LogResult: "X-Amz-Log-Result", ExecutedVersion: "X-Amz-Executed-Version", DurableExecutionArn: "X-Amz-Durable-Execution-Arn" },
      answerPayload: "Payload",
      answerStatus: "StatusCode",
    },
  },
  ListAliases: {
    input: ListAliasesRequest,
    output: ListAliasesResponse,
    http: {
      method: "GET",
      path: "/2015-03-31/functions/{FunctionName}/aliases",
      status: 200,
      query: { FunctionVersion: "FunctionVersion", Marker: "Marker", MaxItems: "MaxItems" },
    },
  },
  ListEventSourceMappings: {
    input: ListEventSourceMappingsRequest,
    output: ListEventSourceMappingsResponse,
    http: {
      method: "GET",
      path: "/2015-03-31/event-source-mappings",
      status: 200,
      query: { EventSourceArn: "EventSourceArn", FunctionName: "FunctionName", Marker: "Marker", MaxItems: "MaxItems" },
    },
  },
  ListFunctionEventInvokeConfigs: {
    input: ListFunctionEventInvokeConfigsRequest,
    output: ListFunctionEventInvokeConfigsResponse,
    http: {
      method: "GET",
      path: "/2019-09-25/functions/{FunctionName}/event-invoke-config/list",
      status: 200,
      query: { Marker: "Marker", MaxItems: "MaxItems" },
    },
  },
  ListFunctions: {
    input: ListFunctionsRequest,
    output: ListFunctionsResponse,
    http: {
      method: "GET",
      path: "/2015-03-31/functions",
      status: 200,
      query: { MasterRegion: "MasterRegion", FunctionVersion: "FunctionVersion", Marker: "Marker", MaxItems: "MaxItems" },
    },
  },
  ListTags: {
    input: ListTagsRequest,
    output: ListTagsResponse,
    http: { method: "GET", path: "/2017-03-31/tags/{Resource}", status: 200 },
  },
  ListVersionsByFunction: {
    input: ListVersionsByFunctionRequest,
    output: ListVersionsByFunctionResponse,
    http: {
      method: "GET",
      path: "/2015-03-31/functions/{FunctionName}/versions",
      status: 200,
      query: { Marker: "Marker", MaxItems: "MaxItems" },
    },
  },
  PublishVersion: {
    input: PublishVersionRequest,
    output: FunctionConfiguration,
    http: { method: "POST", path: "/2015-03-31/functions/{FunctionName}/versions", status: 201 },
  },
  PutFunctionConcurrency: {
    input: PutFunctionConcurrencyRequest,
    output: Concurrency,
    http: { method: "PUT", path: "/2017-10-31/functions/{FunctionName}/concurrency", status: 200 },
  },
  PutFunctionEventInvokeConfig: {
    input: PutFunctionEventInvokeConfigRequest,
    output: FunctionEventInvokeConfig,
    http: {
      method: "PUT",
      path: "/2019-09-25/functions/{FunctionName}/event-invoke-config",
      status: 200,
      query: { Qualifier: "Qualifier" },
    },
  },
  RemovePermission: {
    input: RemovePermissionRequest,
    http: {
      method: "DELETE",
      path: "/2015-03-31/functions/{FunctionName}/policy/{StatementId}",
      status: 204,
      query: { Qualifier: "Qualifier", RevisionId: "RevisionId" },
    },
  },
  TagResource: {
    input: TagResourceRequest,
    http: { method: "POST", path: "/2017-03-31/tags/{Resource}", status: 204 },
  },
  UntagResource: {
    input: UntagResourceRequest,
    http: { method: "DELETE", path: "/2017-03-31/tags/{Resource}", status: 204, query: { TagKeys: "tagKeys" } },
  },
  UpdateAlias: {
    input: UpdateAliasRequest,
    output: AliasConfiguration,
    http: { method: "PUT", path: "/2015-03-31/functions/{FunctionName}/aliases/{Name}", status: 200 },
  },
  UpdateEventSourceMapping: {
    input: UpdateEventSourceMappingRequest,
    output: EventSourceMappingConfiguration,
    http: { method: "PUT", path: "/2015-03-31/event-source-mappings/{UUID}", status: 202 },
  },
  UpdateFunctionCode: {
    input: UpdateFunctionCodeRequest,
    output: FunctionConfiguration,
    http: { method: "PUT", path: "/2015-03-31/functions/{FunctionName}/code", status: 200 },
  },
  UpdateFunctionConfiguration: {
    input: UpdateFunctionConfigurationRequest,
    output: FunctionConfiguration,
    http: { method: "PUT", path: "/2015-03-31/functions/{FunctionName}/configuration", status: 200 },
  },
  UpdateFunctionEventInvokeConfig: {
    input: UpdateFunctionEventInvokeConfigRequest,
    output: FunctionEventInvokeConfig,
    http: {
      method: "POST",
      path: "/2019-09-25/functions/{FunctionName}/event-invoke-config",
      status: 200,
      query: { Qualifier: "Qualifier" },
    },
  },
} as const;

export const errors: Record<string, ErrorModel> = {
  AliasLimitExceededException: { queryCode: "AliasLimitExceededException", status: 400 },
  CallbackTimeoutException: { queryCode: "CallbackTimeoutException", status: 400 },
  CapacityProviderLimitExceededException: { queryCode: "CapacityProviderLimitExceededException", status: 400 },
  CodeArtifactUserDeletedException: { queryCode: "CodeArtifactUserDeletedException", status: 409 },
  CodeArtifactUserFailedException: { queryCode: "CodeArtifactUserFailedException", status: 409 },
  CodeArtifactUserPendingException: { queryCode: "CodeArtifactUserPendingException", status: 409 },
  CodeSigningConfigNotFoundException: { queryCode: "CodeSigningConfigNotFoundException", status: 404 },
  CodeStorageExceededException: { queryCode: "CodeStorageExceededException", status: 400 },
  CodeVerificationFailedException: { queryCode: "CodeVerificationFailedException", status: 400 },
  DurableExecutionAlreadyStartedException: { queryCode: "DurableExecutionAlreadyStartedException", status: 409 },
  EC2AccessDeniedException: { queryCode: "EC2AccessDeniedException", status: 502 },
  EC2ThrottledException: { queryCode: "EC2ThrottledException", status: 502 },
  EC2UnexpectedException: { queryCode: "EC2UnexpectedException", status: 502 },
  EFSIOException: { queryCode: "EFSIOException", status: 410 },
  EFSMountConnectivityException: { queryCode: "EFSMountConnectivityException", status: 408 },
  EFSMountFailureException: { queryCode: "EFSMountFailureException", status: 403 },
  EFSMountTimeoutException: { queryCode: "EFSMountTimeoutException", status: 408 },
  ENILimitReachedException: { queryCode: "ENILimitReachedException", status: 502 },
  ENINotReadyException: { queryCode: "ENINotReadyException", status: 502 },
  FunctionVersionsPerCapacityProviderLimitExceededException: { queryCode: "FunctionVersionsPerCapacityProviderLimitExceededException", status: 400 },
  InvalidCodeSignatureException: { queryCode: "InvalidCodeSignatureException", status: 400 },
  InvalidParameterValueException: { queryCode: "InvalidParameterValueException", status: 400 },
  InvalidRequestContentException: { queryCode: "InvalidRequestContentException", status: 400 },
  InvalidRuntimeException: { queryCode: "InvalidRuntimeException", status: 502 },
  InvalidSecurityGroupIDException: { queryCode: "InvalidSecurityGroupIDException", status: 502 },
  InvalidSubnetIDException: { queryCode: "InvalidSubnetIDException", status: 502 },
  InvalidZipFileException: { queryCode: "InvalidZipFileException", status: 502 },
  KMSAccessDeniedException: { queryCode: "KMSAccessDeniedException", status: 502 },
  KMSDisabledException: { queryCode: "KMSDisabledException", status: 502 },
  KMSInvalidStateException: { queryCode: "KMSInvalidStateException", status: 502 },
  KMSNotFoundException: { queryCode: "KMSNotFoundException", status: 502 },
  ModeNotSupportedException: { queryCode: "ModeNotSupportedException", status: 400 },
  NoPublishedVersionException: { queryCode: "NoPublishedVersionException", status: 400 },
  PolicyLengthExceededException: { queryCode: "PolicyLengthExceededException", status: 400 },
  PreconditionFailedException: { queryCode: "PreconditionFailedException", status: 412 },
  ProvisionedConcurrencyConfigNotFoundException: { queryCode: "ProvisionedConcurrencyConfigNotFoundException", status: 404 },
  PublicPolicyException: { queryCode: "PublicPolicyException", status: 400 },
  RecursiveInvocationException: { queryCode: "RecursiveInvocationException", status: 400 },
  RequestTooLargeException: { queryCode: "RequestTooLargeException", status: 413 },
  ResourceConflictException: { queryCode: "ResourceConflictException", status: 409 },
  ResourceInUseException: { queryCode: "ResourceInUseException", status: 400 },
  ResourceNotFoundException: { queryCode: "ResourceNotFoundException", status: 404 },
  ResourceNotReadyException: { queryCode: "ResourceNotReadyException", status: 502 },
  S3FilesMountConnectivityException: { queryCode: "S3FilesMountConnectivityException", status: 408 },
  S3FilesMountFailureException: { queryCode: "S3FilesMountFailureException", status: 403 },
  S3FilesMountTimeoutException: { queryCode: "S3FilesMountTimeoutException", status: 408 },
  SerializedRequestEntityTooLargeException: { queryCode: "SerializedRequestEntityTooLargeException", status: 413 },
  ServiceException: { queryCode: "ServiceException", status: 500 },
  ServiceQuotaExceededException: { queryCode: "ServiceQuotaExceededException", status: 402 },
  SnapStartException: { queryCode: "SnapStartException", status: 400 },
  SnapStartNotReadyException: { queryCode: "SnapStartNotReadyException", status: 409 },
  SnapStartRegenerationFailureException: { queryCode: "SnapStartRegenerationFailureException", status: 409 },
  SnapStartTimeoutException: { queryCode: "SnapStartTimeoutException", status: 408 },
  SubnetIPAddressLimitReachedException: { queryCode: "SubnetIPAddressLimitReachedException", status: 502 },
  TooManyRequestsException: { queryCode: "TooManyRequestsException", status: 429 },
  UnsupportedMediaTypeException: { queryCode: "UnsupportedMediaTypeException", status: 415 },
};
