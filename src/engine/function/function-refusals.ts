// What Lambda says no with. Texts are AWS's; those of its request validation follow one form.

import { accept, type Result, refuse } from "../../base/result.ts";
import type { CatalogState } from "../catalog/catalog.ts";
import { type Refusal, refusal } from "../refusal.ts";
import {
  type FunctionKey,
  type FunctionRecord,
  type FunctionVersion,
  functionArn,
  versionOf,
} from "./function-record.ts";

export function invalidParameter(message: string): Refusal {
  return refusal("InvalidParameterValueException", message);
}

export function notFound(message: string): Refusal {
  return refusal("ResourceNotFoundException", message);
}

export function conflict(message: string): Refusal {
  return refusal("ResourceConflictException", message);
}

export function functionNotFound(key: FunctionKey, qualifier?: string): Refusal {
  return notFound(`Function not found: ${functionArn(key, qualifier)}`);
}

export function requireFunction(catalog: CatalogState, key: FunctionKey): Result<FunctionRecord, Refusal> {
  const record = catalog.resources.get("function", functionArn(key));
  return record === undefined ? refuse(functionNotFound(key)) : accept(record);
}

/** The function, and the version that the qualifier means. */
export function requireVersion(
  catalog: CatalogState,
  key: FunctionKey,
  qualifier: string | undefined,
): Result<{ record: FunctionRecord; version: FunctionVersion }, Refusal> {
  const found = catalog.resources.get("function", functionArn(key));
  const version = found === undefined ? undefined : versionOf(found, qualifier);
  if (found === undefined || version === undefined) return refuse(functionNotFound(key, qualifier));
  return accept({ record: found, version });
}

export function refuseRevision(given: string | undefined, current: string, readBy: string): Refusal | undefined {
  if (given === undefined || given === current) return undefined;
  return refusal(
    "PreconditionFailedException",
    `The Revision Id provided does not match the latest Revision Id. Call the ${readBy} API to retrieve the latest Revision Id`,
  );
}
