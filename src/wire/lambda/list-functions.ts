// ListFunctions: 50 a page. With FunctionVersion=ALL, published versions are listed behind each function.

import type { FunctionRecord } from "../../engine/command.ts";
import { FUNCTION_PAGE_ITEMS_MAX } from "../../engine/function-limits.ts";
import { configurationOf } from "./describe-function.ts";
import { ask, operation } from "./operation.ts";
import { pageOf } from "./page.ts";

export const listFunctions = operation("ListFunctions", (input, call) => {
  const page = pageOf(input, FUNCTION_PAGE_ITEMS_MAX);
  if (!page.ok) return page;
  const all = input.FunctionVersion === "ALL";
  return ask({ kind: "listFunctions", scope: call.scope, ...page.value }, ({ functions, nextMarker }) => ({
    Functions: functions.flatMap((record) => (all ? everyVersion(record) : [latestOf(record)])),
    NextMarker: nextMarker,
  }));
});

/** `$LATEST` first, by its qualified ARN like all of them. */
export function everyVersion(record: FunctionRecord) {
  const versions = [{ ...record, version: "$LATEST" }, ...(record.versions ?? [])];
  return versions.map((version) => configurationOf({ record, version, qualifier: version.version }));
}

function latestOf(record: FunctionRecord) {
  return configurationOf({ record, version: { ...record, version: "$LATEST" } });
}
