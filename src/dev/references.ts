// Whether what a config file declares fits together: names that it mentions are declared, and a mapping is one that
// Lambda would take.

import { formatDuration } from "../config/index.ts";
import { MAPPING_BATCH_SIZE_WITHOUT_WINDOW_MAX, MAPPING_FIFO_BATCH_SIZE_MAX } from "../engine/function-limits.ts";
import type { Problem } from "./fields.ts";
import type { MappingDeclaration, Project } from "./project.ts";
import { isFifoName } from "./project.ts";

export function checkReferences(project: Project, problems: Problem[]): void {
  const queueNames = project.queues.map(({ name }) => name);
  for (const queue of project.queues) {
    if (queue.dlq?.name !== queue.name) continue;
    problems.push({ path: `queues.${queue.name}.dlq`, text: "is the queue itself; name another one" });
  }
  for (const topic of project.topics) {
    const seen = new Set<string>();
    for (const [index, { queue }] of topic.subscriptions.entries()) {
      const path = `topics.${topic.name}.subscriptions[${index}]`;
      if (!queueNames.includes(queue)) problems.push({ path: `${path}.queue`, text: notDeclared(queue, queueNames) });
      else if (isFifoName(queue) && !isFifoName(topic.name)) {
        problems.push({ path: `${path}.queue`, text: `is "${queue}", and only FIFO topics deliver to FIFO queues` });
      }
      if (seen.has(queue)) problems.push({ path, text: `subscribes "${queue}" a second time` });
      seen.add(queue);
    }
  }
  const seen = new Set<string>();
  for (const mapping of project.mappings) {
    checkMapping(project, mapping, problems);
    const pair = `${mapping.queue} ${mapping.function}`;
    if (seen.has(pair))
      problems.push({ path: mapping.path, text: "is there already: one queue and function, one mapping" });
    seen.add(pair);
  }
}

function checkMapping(project: Project, mapping: MappingDeclaration, problems: Problem[]): void {
  const { path, batchSize, windowMs } = mapping;
  const queue = project.queues.find(({ name }) => name === mapping.queue);
  const target = project.functions.find(({ name }) => name === mapping.function);
  const names = (all: { name: string }[]) => all.map(({ name }) => name);
  if (queue === undefined) {
    problems.push({ path: `${path}.queue`, text: notDeclared(mapping.queue, names(project.queues)) });
  }
  if (target === undefined) {
    problems.push({ path: `${path}.function`, text: notDeclared(mapping.function, names(project.functions)) });
  }
  if (isFifoName(mapping.queue) && windowMs > 0) {
    problems.push({ path: `${path}.window`, text: "is not for FIFO queues; leave it out" });
  }
  if (isFifoName(mapping.queue) && batchSize > MAPPING_FIFO_BATCH_SIZE_MAX) {
    const text = `is ${batchSize}, and takes at most ${MAPPING_FIFO_BATCH_SIZE_MAX} for a FIFO queue`;
    problems.push({ path: `${path}.batchSize`, text });
  } else if (batchSize > MAPPING_BATCH_SIZE_WITHOUT_WINDOW_MAX && windowMs === 0) {
    const text = `is ${batchSize}, and more than ${MAPPING_BATCH_SIZE_WITHOUT_WINDOW_MAX} need a "window" such as "1s"`;
    problems.push({ path: `${path}.batchSize`, text });
  }
  if (queue === undefined || target === undefined || queue.visibilityMs >= target.timeoutMs) return;
  problems.push({
    path,
    text:
      `gives messages of "${queue.name}", which are hidden for ${formatDuration(queue.visibilityMs)}, to a function that may ` +
      `take ${formatDuration(target.timeoutMs)}: others would get them meanwhile. Raise queues.${queue.name}.visibility, or ` +
      `lower functions.${target.name}.timeout`,
  });
}

function notDeclared(name: string, declared: string[]): string {
  const there = declared.length === 0 ? "there are none" : `there are ${declared.join(", ")}`;
  return `is "${name}", which this file does not declare; ${there}`;
}
