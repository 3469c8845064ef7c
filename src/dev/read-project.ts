// From a config file's value to what it declares. Everything that is wrong is found in one reading; what only the server
// can know (whether a filter compiles) it says itself when the declaration is carried out.

import { extname, resolve } from "node:path";
import {
  FUNCTION_MEMORY_MB_MAX,
  FUNCTION_MEMORY_MB_MIN,
  FUNCTION_NAME_CHARACTERS_MAX,
  FUNCTION_TIMEOUT_MS_DEFAULT,
  FUNCTION_TIMEOUT_MS_MAX,
  MAPPING_BATCH_SIZE_DEFAULT,
  MAPPING_BATCH_SIZE_MAX,
  MAPPING_CONCURRENCY_MAX,
  MAPPING_CONCURRENCY_MIN,
  MAPPING_WINDOW_MS_MAX,
} from "../engine/function-limits.ts";
import * as limits from "../engine/limits.ts";
import type { Problem } from "./fields.ts";
import * as field from "./fields.ts";
import type {
  CodeDeclaration,
  FunctionDeclaration,
  MappingDeclaration,
  Project,
  QueueDeclaration,
  SubscriptionDeclaration,
  TopicDeclaration,
} from "./project.ts";
import { isFifoName } from "./project.ts";
import { checkReferences } from "./references.ts";

export interface ProjectWorld {
  /** What paths in the file start from. */
  folder: string;
  isFile: (path: string) => boolean;
}

export type ReadProject = { project: Project; problems: [] } | { project: undefined; problems: Problem[] };

const FILE = {
  server: field.object,
  queues: field.object,
  topics: field.object,
  functions: field.object,
  mappings: field.list,
  $schema: field.text,
};

const QUEUE = {
  visibility: field.seconds(0, limits.VISIBILITY_MS_MAX),
  delay: field.seconds(0, limits.DELAY_MS_MAX),
  retention: field.seconds(limits.RETENTION_MS_MIN, limits.RETENTION_MS_MAX),
  wait: field.seconds(0, limits.WAIT_MS_MAX),
  dlq: field.text,
  maxReceives: field.wholeNumber(limits.MAX_RECEIVE_COUNT_MIN, limits.MAX_RECEIVE_COUNT_MAX),
  contentDedup: field.onOff,
};

const TOPIC = { subscriptions: field.list, contentDedup: field.onOff };

const SUBSCRIPTION = {
  queue: field.required(field.text),
  raw: field.onOff,
  filter: field.object,
  filterOn: field.choice("attributes", "body"),
};

const FUNCTION = {
  file: field.text,
  url: field.httpUrl,
  handler: field.text,
  environment: field.texts,
  timeout: field.seconds(1000, FUNCTION_TIMEOUT_MS_MAX),
  memory: field.wholeNumber(FUNCTION_MEMORY_MB_MIN, FUNCTION_MEMORY_MB_MAX),
  concurrency: field.wholeNumber(0, MAPPING_CONCURRENCY_MAX),
};

const MAPPING = {
  queue: field.required(field.text),
  function: field.required(field.text),
  on: field.onOff,
  batchSize: field.wholeNumber(1, MAPPING_BATCH_SIZE_MAX),
  window: field.seconds(0, MAPPING_WINDOW_MS_MAX),
  partialFailures: field.onOff,
  maxConcurrency: field.wholeNumber(MAPPING_CONCURRENCY_MIN, MAPPING_CONCURRENCY_MAX),
  filters: field.objects,
};

/** Enough tries for a passing trouble, few enough that a poison message leaves soon. */
const MAX_RECEIVES_DEFAULT = 5;
const CODE_ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py"];
const STEM = "letters, digits, hyphens and underscores";

export function readProject(value: unknown, world: ProjectWorld): ReadProject {
  const problems: Problem[] = [];
  const file = field.readFields(FILE, value, "", problems);
  const each = <Value>(
    group: "queues" | "topics" | "functions",
    read: (name: string, given: unknown, path: string, problems: Problem[]) => Value,
  ) => Object.entries(file[group] ?? {}).map(([name, given]) => read(name, given, `${group}.${name}`, problems));
  const project: Project = {
    server: file.server ?? {},
    queues: each("queues", readQueue),
    topics: each("topics", readTopic),
    functions: each("functions", (name, given, path) => readFunction(name, given, path, problems, world)),
    mappings: (file.mappings ?? []).map((given, index) => readMapping(given, `mappings[${index}]`, problems)),
  };
  addDeadLetterQueues(project);
  // What does not fit together follows from what is wrong by itself.
  if (problems.length === 0) checkReferences(project, problems);
  return problems.length === 0 ? { project, problems: [] } : { project: undefined, problems };
}

function readQueue(name: string, given: unknown, path: string, problems: Problem[]): QueueDeclaration {
  const values = field.readFields(QUEUE, given, path, problems);
  refuseName(name, path, limits.QUEUE_NAME_CHARACTERS_MAX, "may end in .fifo", problems);
  if (values.maxReceives !== undefined && values.dlq === undefined) {
    problems.push({
      path: `${path}.maxReceives`,
      text: 'says when a message goes to the dead-letter queue; add "dlq"',
    });
  }
  if (values.dlq !== undefined && isFifoName(values.dlq) !== isFifoName(name)) {
    const kind = isFifoName(name) ? "a FIFO queue, whose name ends in .fifo" : "a standard queue, without .fifo";
    problems.push({
      path: `${path}.dlq`,
      text: `is "${values.dlq}", and the dead-letter queue of this one is ${kind}`,
    });
  }
  refuseContentDedup(name, values.contentDedup, path, problems);
  return {
    name,
    visibilityMs: values.visibility ?? limits.DEFAULT_VISIBILITY_MS,
    delayMs: values.delay ?? limits.DEFAULT_DELAY_MS,
    retentionMs: values.retention ?? limits.DEFAULT_RETENTION_MS,
    waitMs: values.wait ?? limits.DEFAULT_WAIT_MS,
    contentDedup: values.contentDedup ?? false,
    ...(values.dlq === undefined
      ? {}
      : { dlq: { name: values.dlq, maxReceives: values.maxReceives ?? MAX_RECEIVES_DEFAULT } }),
  };
}

function readTopic(name: string, given: unknown, path: string, problems: Problem[]): TopicDeclaration {
  const values = field.readFields(TOPIC, given, path, problems);
  refuseName(name, path, limits.TOPIC_NAME_CHARACTERS_MAX, "may end in .fifo", problems);
  refuseContentDedup(name, values.contentDedup, path, problems);
  const subscriptions = (values.subscriptions ?? []).map((each, index) =>
    readSubscription(each, `${path}.subscriptions[${index}]`, problems),
  );
  return { name, contentDedup: values.contentDedup ?? false, subscriptions };
}

function readSubscription(given: unknown, path: string, problems: Problem[]): SubscriptionDeclaration {
  const { queue = "", raw = false, filter, filterOn } = field.readFields(SUBSCRIPTION, given, path, problems);
  if (filterOn !== undefined && filter === undefined) {
    problems.push({ path: `${path}.filterOn`, text: 'says what "filter" looks at; add "filter"' });
  }
  return { queue, raw, ...(filter === undefined ? {} : { filter }), filterOn: filterOn ?? "attributes" };
}

function readFunction(
  name: string,
  given: unknown,
  path: string,
  problems: Problem[],
  world: ProjectWorld,
): FunctionDeclaration {
  const values = field.readFields(FUNCTION, given, path, problems);
  refuseName(name, path, FUNCTION_NAME_CHARACTERS_MAX, undefined, problems);
  return {
    name,
    code: readCode(values, path, problems, world),
    handler: values.handler ?? "handler",
    environment: values.environment ?? {},
    timeoutMs: values.timeout ?? FUNCTION_TIMEOUT_MS_DEFAULT,
    memoryMb: values.memory ?? FUNCTION_MEMORY_MB_MIN,
    ...(values.concurrency === undefined ? {} : { concurrency: values.concurrency }),
  };
}

function readCode(
  { file, url, ...others }: { file?: string; url?: string; handler?: string; environment?: object; memory?: number },
  path: string,
  problems: Problem[],
  world: ProjectWorld,
): CodeDeclaration {
  if (url !== undefined) {
    if (file !== undefined) problems.push({ path, text: 'has "file" and "url": a function is the one or the other' });
    for (const name of ["handler", "environment", "memory"] as const) {
      if (others[name] === undefined) continue;
      problems.push({
        path: `${path}.${name}`,
        text: 'is for "file": whoever runs what is behind "url" sets it there',
      });
    }
    return { is: "http", url };
  }
  const whole = resolve(world.folder, file ?? "");
  if (file === undefined) {
    problems.push({ path, text: 'needs "file", a path, or "url", where something speaks the invoke contract' });
  } else if (!CODE_ENDINGS.includes(extname(whole))) {
    const text = `is "${file}", and takes a file that ends in one of ${CODE_ENDINGS.join(" ")}`;
    problems.push({ path: `${path}.file`, text });
  } else if (!world.isFile(whole)) {
    problems.push({ path: `${path}.file`, text: `is "${file}", and there is no file ${whole}` });
  }
  return { is: "file", path: whole };
}

function readMapping(given: unknown, path: string, problems: Problem[]): MappingDeclaration {
  const values = field.readFields(MAPPING, given, path, problems);
  return {
    path,
    queue: values.queue ?? "",
    function: values.function ?? "",
    on: values.on ?? true,
    batchSize: values.batchSize ?? MAPPING_BATCH_SIZE_DEFAULT,
    windowMs: values.window ?? 0,
    partialFailures: values.partialFailures ?? false,
    filters: values.filters ?? [],
    ...(values.maxConcurrency === undefined ? {} : { maxConcurrency: values.maxConcurrency }),
  };
}

/** A dead-letter queue that is only named is declared by that. It keeps messages as long as it may: people read it late. */
function addDeadLetterQueues(project: Project): void {
  for (const { dlq } of [...project.queues]) {
    if (dlq === undefined || project.queues.some(({ name }) => name === dlq.name)) continue;
    project.queues.push({
      name: dlq.name,
      visibilityMs: limits.DEFAULT_VISIBILITY_MS,
      delayMs: limits.DEFAULT_DELAY_MS,
      retentionMs: limits.RETENTION_MS_MAX,
      waitMs: limits.DEFAULT_WAIT_MS,
      contentDedup: false,
    });
  }
}

function refuseName(
  name: string,
  path: string,
  charactersMax: number,
  also: string | undefined,
  problems: Problem[],
): void {
  const stem = also === undefined ? name : name.replace(/\.fifo$/, "");
  if (/^[A-Za-z0-9_-]+$/.test(stem) && name.length <= charactersMax) return;
  const tail = also === undefined ? "" : ` and ${also}`;
  problems.push({ path, text: `is no name: a name has 1 to ${charactersMax} ${STEM}${tail}` });
}

function refuseContentDedup(name: string, given: boolean | undefined, path: string, problems: Problem[]): void {
  if (given !== true || isFifoName(name)) return;
  problems.push({ path: `${path}.contentDedup`, text: "works on FIFO alone: a name that ends in .fifo" });
}
