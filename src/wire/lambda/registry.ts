// Lambda's operations that are offered. What is not here (layers, function URLs, code signing, ...) has no path, and is
// answered with UnknownOperationException.

import type { Operation } from "../protocol/operation.ts";
import { operationsByName } from "../protocol/service.ts";
import { createAlias, deleteAlias, getAlias, listAliases, updateAlias } from "./aliases.ts";
import {
  deleteFunctionConcurrency,
  getAccountSettings,
  getFunctionConcurrency,
  putFunctionConcurrency,
} from "./concurrency.ts";
import { createFunction } from "./create-function.ts";
import { deleteFunction } from "./delete-function.ts";
import {
  deleteFunctionEventInvokeConfig,
  getFunctionEventInvokeConfig,
  listFunctionEventInvokeConfigs,
  putFunctionEventInvokeConfig,
  updateFunctionEventInvokeConfig,
} from "./event-invoke-config.ts";
import {
  createEventSourceMapping,
  deleteEventSourceMapping,
  getEventSourceMapping,
  listEventSourceMappings,
  updateEventSourceMapping,
} from "./event-source-mappings.ts";
import { getFunction, getFunctionCodeSigningConfig, getFunctionConfiguration } from "./get-function.ts";
import { invoke } from "./invoke.ts";
import { listFunctions } from "./list-functions.ts";
import type { OperationName } from "./operation.ts";
import { addPermission, getPolicy, removePermission } from "./permissions.ts";
import { listTags, tagResource, untagResource } from "./tags.ts";
import { updateFunctionCode } from "./update-function-code.ts";
import { updateFunctionConfiguration } from "./update-function-configuration.ts";
import { listVersionsByFunction, publishVersion } from "./versions.ts";

const everyOperation: Record<OperationName, Operation> = {
  // Functions
  CreateFunction: createFunction,
  UpdateFunctionCode: updateFunctionCode,
  UpdateFunctionConfiguration: updateFunctionConfiguration,
  GetFunction: getFunction,
  GetFunctionConfiguration: getFunctionConfiguration,
  GetFunctionCodeSigningConfig: getFunctionCodeSigningConfig,
  ListFunctions: listFunctions,
  DeleteFunction: deleteFunction,
  GetAccountSettings: getAccountSettings,

  // Invocations
  Invoke: invoke,
  PutFunctionConcurrency: putFunctionConcurrency,
  GetFunctionConcurrency: getFunctionConcurrency,
  DeleteFunctionConcurrency: deleteFunctionConcurrency,
  PutFunctionEventInvokeConfig: putFunctionEventInvokeConfig,
  UpdateFunctionEventInvokeConfig: updateFunctionEventInvokeConfig,
  GetFunctionEventInvokeConfig: getFunctionEventInvokeConfig,
  ListFunctionEventInvokeConfigs: listFunctionEventInvokeConfigs,
  DeleteFunctionEventInvokeConfig: deleteFunctionEventInvokeConfig,

  // Versions and aliases
  PublishVersion: publishVersion,
  ListVersionsByFunction: listVersionsByFunction,
  CreateAlias: createAlias,
  UpdateAlias: updateAlias,
  GetAlias: getAlias,
  ListAliases: listAliases,
  DeleteAlias: deleteAlias,

  // Policies and tags
  AddPermission: addPermission,
  RemovePermission: removePermission,
  GetPolicy: getPolicy,
  TagResource: tagResource,
  UntagResource: untagResource,
  ListTags: listTags,

  // Event source mappings
  CreateEventSourceMapping: createEventSourceMapping,
  UpdateEventSourceMapping: updateEventSourceMapping,
  GetEventSourceMapping: getEventSourceMapping,
  ListEventSourceMappings: listEventSourceMappings,
  DeleteEventSourceMapping: deleteEventSourceMapping,
};

export const lambdaOperations = operationsByName(everyOperation);
