// What a config file declares. Times are milliseconds and paths are whole by then.

export interface Project {
  /** Settings of the server, by the names of docs/settings.md; not checked yet. */
  server: Record<string, unknown>;
  queues: QueueDeclaration[];
  topics: TopicDeclaration[];
  functions: FunctionDeclaration[];
  mappings: MappingDeclaration[];
}

export interface QueueDeclaration {
  name: string;
  visibilityMs: number;
  delayMs: number;
  retentionMs: number;
  waitMs: number;
  contentDedup: boolean;
  /** Receives are counted, and the one that would be too many moves the message. */
  dlq?: { name: string; maxReceives: number };
}

export interface TopicDeclaration {
  name: string;
  contentDedup: boolean;
  subscriptions: SubscriptionDeclaration[];
}

export interface SubscriptionDeclaration {
  queue: string;
  raw: boolean;
  /** A filter policy; absent: everything is delivered. */
  filter?: object;
  filterOn: "attributes" | "body";
}

export interface FunctionDeclaration {
  name: string;
  code: CodeDeclaration;
  /** Name of what the file exports. */
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
  /** At most this many at once; absent: as many as the server runs. */
  concurrency?: number;
}

export type CodeDeclaration =
  /** Absolute. */
  | { is: "file"; path: string }
  /** Of something that speaks the invoke contract. */
  | { is: "http"; url: string };

export interface MappingDeclaration {
  /** Where it is in the file, for messages: `mappings[0]`. */
  path: string;
  queue: string;
  function: string;
  on: boolean;
  batchSize: number;
  windowMs: number;
  partialFailures: boolean;
  maxConcurrency?: number;
  /** Event patterns. */
  filters: object[];
}

/** FIFO by name, as everywhere on AWS. */
export function isFifoName(name: string): boolean {
  return name.endsWith(".fifo");
}
