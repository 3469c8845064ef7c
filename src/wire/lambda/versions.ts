// PublishVersion and ListVersionsByFunction.

import { FUNCTION_PAGE_ITEMS_MAX } from "../../engine/function-limits.ts";
import { configurationOf } from "./describe-function.ts";
import { functionOf } from "./function-of.ts";
import { everyVersion } from "./list-functions.ts";
import { ask, operation } from "./operation.ts";
import { pageOf, slice } from "./page.ts";

export const publishVersion = operation("PublishVersion", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const { CodeSha256: sha256, Description: description, RevisionId: ifRevision } = input;
  return ask(
    {
      kind: "publishVersion",
      function: named.value.function,
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(description === undefined ? {} : { description }),
      ...(ifRevision === undefined ? {} : { ifRevision }),
    },
    configurationOf,
  );
});

export const listVersionsByFunction = operation("ListVersionsByFunction", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const asked = pageOf(input, FUNCTION_PAGE_ITEMS_MAX);
  if (!asked.ok) return asked;
  return ask({ kind: "getFunction", function: named.value.function }, ({ record }) => {
    const { page, nextMarker } = slice(everyVersion(record), asked.value, ({ Version }) => Version);
    return { Versions: page, NextMarker: nextMarker };
  });
});
