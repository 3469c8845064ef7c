// Makes what a project declares so: what is missing is made, what differs is changed, what is the same stays untouched.
// Nothing that is not declared is deleted. Done again after a failure, it goes on where it stopped.

import type { Scope } from "../engine/command.ts";
import type { Host } from "../host/host.ts";
import { declareFunction } from "./declare-function.ts";
import { declareMapping } from "./declare-mapping.ts";
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
  how: "created" | "updated";
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
    if (how !== undefined) changes.push({ what: "mapping", name: `${mapping.queue} to ${mapping.function}`, how });
  }
  return changes;
}
