// A declared event source mapping, known by its queue and its function.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../base/fault.ts";
import type { GivenMapping, MappingRecord } from "../engine/command.ts";
import { functionArn } from "../host/index.ts";
import { carryOut, queueArnOf } from "./carry-out.ts";
import type { MappingDeclaration } from "./project.ts";
import type { Change, DeclareWorld } from "./reconcile.ts";

/** How long a mapping may be on its way to another state: a batch under way ends first. */
const SETTLED_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 20;

export async function declareMapping(
  world: DeclareWorld,
  declared: MappingDeclaration,
): Promise<Change["how"] | undefined> {
  const { scope } = world;
  const { path } = declared;
  const key = { ...scope, name: declared.function };
  const eventSourceArn = queueArnOf(world, declared.queue);
  const arn = functionArn(key);
  const given = givenOf(declared);
  const found = await settled(world, path, eventSourceArn, arn);
  if (found === undefined) {
    await carryOut<"createMapping">(world, path, {
      kind: "createMapping",
      scope,
      eventSourceArn,
      function: key,
      functionArn: arn,
      isOn: declared.on,
      given,
      tags: {},
    });
    return "created";
  }
  const isSame = Object.entries(given).every(([name, value]) =>
    isDeepStrictEqual(found[name as keyof typeof given], value),
  );
  const dropsConcurrency = declared.maxConcurrency === undefined && found.maximumConcurrency !== undefined;
  if (isSame && !dropsConcurrency && (found.state === "Enabled") === declared.on) return undefined;
  await carryOut<"updateMapping">(world, path, {
    kind: "updateMapping",
    scope,
    uuid: found.uuid,
    isOn: declared.on,
    given,
    removes: dropsConcurrency ? ["maximumConcurrency"] : [],
  });
  return "updated";
}

/** False when there is none, or it was off. */
export async function switchOffMapping(world: DeclareWorld, declared: MappingDeclaration): Promise<boolean> {
  const { path, queue } = declared;
  const arn = functionArn({ ...world.scope, name: declared.function });
  const found = await settled(world, path, queueArnOf(world, queue), arn);
  if (found?.state !== "Enabled") return false;
  const { scope } = world;
  await carryOut<"updateMapping">(world, path, {
    kind: "updateMapping",
    scope,
    uuid: found.uuid,
    isOn: false,
    given: {},
    removes: [],
  });
  return true;
}

export function mappingName({ queue, function: name }: MappingDeclaration): string {
  return `${queue} to ${name}`;
}

/** The mapping when no change of it is under way any more. */
async function settled(
  world: DeclareWorld,
  path: string,
  eventSourceArn: string,
  arn: string,
): Promise<MappingRecord | undefined> {
  const command = {
    kind: "listMappings",
    scope: world.scope,
    eventSourceArn,
    functionArn: arn,
    itemsMax: 100,
  } as const;
  for (let waitedMs = 0; waitedMs < SETTLED_WITHIN_MS; waitedMs += LOOK_AGAIN_MS) {
    const { mappings } = await carryOut<"listMappings">(world, path, command);
    const found = mappings.find((mapping) => mapping.functionArn === arn);
    if (found === undefined || found.state === "Enabled" || found.state === "Disabled") return found;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Fault("SettingInvalid", `${path} cannot be changed: an earlier change is still under way. Try again.`);
}

function givenOf(declared: MappingDeclaration): Partial<GivenMapping> {
  return {
    batchSize: declared.batchSize,
    batchingWindowMs: declared.windowMs,
    reportsBatchItemFailures: declared.partialFailures,
    filters: declared.filters.map((filter) => JSON.stringify(filter)),
    ...(declared.maxConcurrency === undefined ? {} : { maximumConcurrency: declared.maxConcurrency }),
  };
}
