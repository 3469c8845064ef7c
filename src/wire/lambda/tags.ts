// Tags of functions and event source mappings, by ARN.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { FunctionKey } from "../../engine/command.ts";
import { type Refusal, refusal } from "../../engine/refusal.ts";
import type { Call } from "../protocol/call.ts";
import { needed } from "./check.ts";
import { functionOf } from "./function-of.ts";
import { ask, noOutput, operation } from "./operation.ts";

type Tagged = { is: "function"; function: FunctionKey } | { is: "mapping"; uuid: string };

export const tagResource = operation("TagResource", (input, call) => {
  const to = taggedOf(input.Resource, call);
  if (!to.ok) return to;
  const tags = needed(input.Tags, "tags");
  if (!tags.ok) return tags;
  return to.value.is === "function"
    ? ask({ kind: "tagFunction", function: to.value.function, tags: { ...tags.value } }, noOutput)
    : ask({ kind: "tagMapping", scope: call.scope, uuid: to.value.uuid, tags: { ...tags.value } }, noOutput);
});

export const untagResource = operation("UntagResource", (input, call) => {
  const to = taggedOf(input.Resource, call);
  if (!to.ok) return to;
  const tagKeys = needed(input.TagKeys, "tagKeys");
  if (!tagKeys.ok) return tagKeys;
  return to.value.is === "function"
    ? ask({ kind: "untagFunction", function: to.value.function, tagKeys: tagKeys.value }, noOutput)
    : ask({ kind: "untagMapping", scope: call.scope, uuid: to.value.uuid, tagKeys: tagKeys.value }, noOutput);
});

export const listTags = operation("ListTags", (input, call) => {
  const to = taggedOf(input.Resource, call);
  if (!to.ok) return to;
  return to.value.is === "function"
    ? ask({ kind: "getFunction", function: to.value.function }, ({ record }) => ({ Tags: record.tags }))
    : ask({ kind: "getMapping", scope: call.scope, uuid: to.value.uuid }, ({ tags }) => ({ Tags: tags }));
});

function taggedOf(arn: string | undefined, call: Call): Result<Tagged, Refusal> {
  const uuid = /^arn:[^:]+:lambda:[^:]+:\d{12}:event-source-mapping:([\w-]+)$/.exec(arn ?? "")?.[1];
  if (uuid !== undefined) return accept({ is: "mapping", uuid });
  if (arn?.startsWith("arn:") !== true) {
    return refuse(refusal("InvalidParameterValueException", `${arn} is not the ARN of a function or mapping.`));
  }
  const named = functionOf(arn, call);
  if (!named.ok) return named;
  const { function: key, qualifier } = named.value;
  if (qualifier === undefined) return accept({ is: "function", function: key });
  const text = "Tags on function aliases and versions are not supported. Please specify a function ARN.";
  return refuse(refusal("InvalidParameterValueException", text));
}
