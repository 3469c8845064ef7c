// Event source mappings: which queue feeds which function, and how.

import { refuse } from "../../base/result.ts";
import { MAPPING_PAGE_ITEMS_MAX } from "../../engine/function-limits.ts";
import { refusal } from "../../engine/refusal.ts";
import { describeMapping } from "./describe-mapping.ts";
import { functionArn, mappedFunctionArn } from "./function-name.ts";
import { namedFunction } from "./function-of.ts";
import { readMapping } from "./mapping-input.ts";
import { ask, operation } from "./operation.ts";
import { pageOf } from "./page.ts";

export const createEventSourceMapping = operation("CreateEventSourceMapping", (input, call) => {
  const named = namedFunction(input.FunctionName, call);
  if (!named.ok) return named;
  const { EventSourceArn: eventSourceArn, Enabled: isOn = true, Tags: tags = {} } = input;
  if (eventSourceArn === undefined) {
    return refuse(refusal("InvalidParameterValueException", "Unrecognized event source."));
  }
  const choices = readMapping(input);
  if (!choices.ok) return choices;
  const { function: key, qualifier } = named.value;
  return ask(
    {
      kind: "createMapping",
      scope: call.scope,
      eventSourceArn,
      function: key,
      ...(qualifier === undefined ? {} : { qualifier }),
      functionArn: mappedFunctionArn(named.value),
      isOn,
      given: choices.value.given,
      tags: { ...tags },
    },
    describeMapping,
  );
});

export const updateEventSourceMapping = operation("UpdateEventSourceMapping", (input, call) => {
  const { UUID: uuid = "", FunctionName: name, Enabled: isOn } = input;
  const named = name === undefined ? undefined : namedFunction(name, call);
  if (named?.ok === false) return named;
  const choices = readMapping(input);
  if (!choices.ok) return choices;
  const to = named?.value;
  const { qualifier } = to ?? {};
  return ask(
    {
      kind: "updateMapping",
      scope: call.scope,
      uuid,
      ...(to === undefined
        ? {}
        : {
            function: {
              key: to.function,
              arn: mappedFunctionArn(to),
              ...(qualifier === undefined ? {} : { qualifier }),
            },
          }),
      ...(isOn === undefined ? {} : { isOn }),
      ...choices.value,
    },
    describeMapping,
  );
});

export const getEventSourceMapping = operation("GetEventSourceMapping", ({ UUID: uuid = "" }, { scope }) =>
  ask({ kind: "getMapping", scope, uuid }, describeMapping),
);

export const deleteEventSourceMapping = operation("DeleteEventSourceMapping", ({ UUID: uuid = "" }, { scope }) =>
  ask({ kind: "deleteMapping", scope, uuid }, describeMapping),
);

export const listEventSourceMappings = operation("ListEventSourceMappings", (input, call) => {
  const page = pageOf(input, MAPPING_PAGE_ITEMS_MAX);
  if (!page.ok) return page;
  const { EventSourceArn: eventSourceArn, FunctionName: name } = input;
  const named = name === undefined ? undefined : namedFunction(name, call);
  if (named?.ok === false) return named;
  const about = named === undefined ? {} : { functionArn: functionArn(named.value.function, named.value.qualifier) };
  return ask(
    {
      kind: "listMappings",
      scope: call.scope,
      ...page.value,
      ...about,
      ...(eventSourceArn === undefined ? {} : { eventSourceArn }),
    },
    ({ mappings, nextMarker }) => ({ EventSourceMappings: mappings.map(describeMapping), NextMarker: nextMarker }),
  );
});
