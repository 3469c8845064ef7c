// Makes what a project declares so: what is missing is made, what differs is changed, what is the same stays untouched.
// Nothing that is not declared is deleted; a mapping that no longer is gets switched off, or what took its place would
// share the queue with it. Done again after a failure, it goes on where it stopped.

import type { Scope } from "../engine/command.ts";
import type { Host } from "../host/host.ts";
import { declareFunction } from "./declare-function.ts";
import { declareMapping, mappingName, switchOffMapping } from "./declare-mapping.ts";
import { declareQueue, makeQueue } from "./declare-queue.ts";
import { declareTopic } from "./declare-topic.ts";
import type { Project } from "./project.ts";

/** Where declarations are carried out. */
export interface DeclareWorld {
  host: Host;
  scope: Scope;
}

export interface Change {
  what: "queue" | "topic" | "function" | "mapping";
  name: string;
  how: "created" | "updated" | "switched off";
}

/** Rejects with a Fault that names the declaration that the server refused. */
export async function reconcile(world: DeclareWorld, project: Project): Promise<Change[]> {
  const changes: Change[] = [];
  const made = new Set<string>();
  // Queues may be each other's dead-letter queues, so all are there before one refers to another.
  for (const queue of project.queues) if (await makeQueue(world, queue)) made.add(queue.name);
  for (const queue of project.queues) {
    const isUpdated = await declareQueue(world, queue);
    if (made.has(queue.name)) changes.push({ what: "queue", name: queue.name, how: "created" });
    else if (isUpdated) changes.push({ what: "queue", name: queue.name, how: "updated" });
  }
  for (const topic of project.topics) {
    const how = await declareTopic(world, topic);
    if (how !== undefined) changes.push({ what: "topic", name: topic.name, how });
  }
  for (const declaration of project.functions) {
    const how = await declareFunction(world, declaration);
    if (how !== undefined) changes.push({ what: "function", name: declaration.name, how });
  }
  for (const mapping of project.mappings) {
    const how = await declareMapping(world, mapping);
    if (how !== undefined) changes.push({ what: "mapping", name: mappingName(mapping), how });
  }
  return changes;
}

/** Of mappings that were declared `before`, those that are not any more. */
export async function switchOffGone(world: DeclareWorld, before: Project, now: Project): Promise<Change[]> {
  const changes: Change[] = [];
  const kept = new Set(now.mappings.map(mappingName));
  for (const mapping of before.mappings) {
    const name = mappingName(mapping);
    if (!kept.has(name) && (await switchOffMapping(world, mapping))) {
      changes.push({ what: "mapping", name, how: "switched off" });
    }
  }
  return changes;
}
