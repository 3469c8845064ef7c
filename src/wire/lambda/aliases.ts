// Aliases: names that point at one version. Sharing calls among two versions is not offered.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { FunctionAlias, FunctionKey } from "../../engine/command.ts";
import { FUNCTION_PAGE_ITEMS_MAX } from "../../engine/function-limits.ts";
import { constraintViolated, type Refusal } from "../../engine/refusal.ts";
import { needed } from "./check.ts";
import { functionArn } from "./function-name.ts";
import { functionOf } from "./function-of.ts";
import { unsupported } from "./function-settings.ts";
import { ask, noOutput, operation } from "./operation.ts";
import { pageOf, slice } from "./page.ts";

export const createAlias = operation("CreateAlias", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const name = readName(input.Name);
  if (!name.ok) return name;
  const version = needed(input.FunctionVersion, "functionVersion");
  if (!version.ok) return version;
  const problem = refuseRouting(input.RoutingConfig);
  if (problem !== undefined) return refuse(problem);
  const key = named.value.function;
  const { Description: description = "" } = input;
  return ask({ kind: "createAlias", function: key, name: name.value, version: version.value, description }, (alias) =>
    describe(key, alias),
  );
});

export const updateAlias = operation("UpdateAlias", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const problem = refuseRouting(input.RoutingConfig);
  if (problem !== undefined) return refuse(problem);
  const key = named.value.function;
  const { Name: name = "", FunctionVersion: version, Description: description, RevisionId: ifRevision } = input;
  return ask(
    {
      kind: "updateAlias",
      function: key,
      name,
      ...(version === undefined ? {} : { version }),
      ...(description === undefined ? {} : { description }),
      ...(ifRevision === undefined ? {} : { ifRevision }),
    },
    (alias) => describe(key, alias),
  );
});

export const getAlias = operation("GetAlias", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const key = named.value.function;
  return ask({ kind: "getAlias", function: key, name: input.Name ?? "" }, (alias) => describe(key, alias));
});

export const deleteAlias = operation("DeleteAlias", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  return ask({ kind: "deleteAlias", function: named.value.function, name: input.Name ?? "" }, noOutput);
});

export const listAliases = operation("ListAliases", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  const asked = pageOf(input, FUNCTION_PAGE_ITEMS_MAX);
  if (!asked.ok) return asked;
  const key = named.value.function;
  return ask({ kind: "getFunction", function: key }, ({ record }) => {
    const aliases = (record.aliases ?? []).filter(
      ({ version }) => input.FunctionVersion === undefined || version === input.FunctionVersion,
    );
    const { page, nextMarker } = slice(aliases, asked.value, ({ name }) => name);
    return { Aliases: page.map((alias) => describe(key, alias)), NextMarker: nextMarker };
  });
});

/** A name of digits alone would be a version's. */
function readName(name: string | undefined): Result<string, Refusal> {
  if (name !== undefined && /^(?!\d+$)[\w-]{1,128}$/.test(name)) return accept(name);
  const constraint = "Member must satisfy regular expression pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)";
  return refuse(constraintViolated(name ?? null, "name", constraint));
}

function refuseRouting(routing: { AdditionalVersionWeights?: Record<string, unknown> } | undefined) {
  const isShared = Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0;
  return isShared ? unsupported("aliases that share calls among versions") : undefined;
}

function describe(key: FunctionKey, { name, version, description, revisionId }: FunctionAlias) {
  return {
    AliasArn: functionArn(key, name),
    Name: name,
    FunctionVersion: version,
    Description: description,
    RevisionId: revisionId,
  };
}
