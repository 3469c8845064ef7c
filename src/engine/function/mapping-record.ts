// What the catalog keeps of one event source mapping: which queue feeds which function, and how. What it is doing at
// the moment (pollers, batches under way) is the poller's and in no record.

/** As its state is shown; transitional states last until the poller has followed. */
export type MappingState = "Creating" | "Enabling" | "Enabled" | "Disabling" | "Disabled" | "Updating" | "Deleting";

export interface MappingRecord {
  /** Also the key of the record, behind the account and region: `arn:aws:lambda:REGION:ACCOUNT:event-source-mapping:UUID`. */
  uuid: string;
  account: string;
  region: string;
  /** ARN of the queue. */
  eventSourceArn: string;
  /** As it was named, with the qualifier that it was named with (`function-name.ts` reads it). */
  functionArn: string;
  state: MappingState;
  batchSize: number;
  /** 0: batches go out as soon as there is a message. */
  batchingWindowMs: number;
  reportsBatchItemFailures: boolean;
  /** Absent: scaled by backlog. */
  maximumConcurrency?: number;
  provisionedPollers?: { minimum: number; maximum: number };
  /** Event patterns as JSON text; a message that matches none is deleted. Empty: everything passes. */
  filters: string[];
  /** Kept and shown: `EventCount`. */
  metrics?: string[];
  kmsKeyArn?: string;
  tags: Record<string, string>;
  createdAtMs: number;
  modifiedAtMs: number;
}

export function mappingArn({ region, account, uuid }: Pick<MappingRecord, "region" | "account" | "uuid">): string {
  return `arn:aws:lambda:${region}:${account}:event-source-mapping:${uuid}`;
}

/** Whether messages are to be taken, now or as soon as the poller has followed. */
export function isMappingOn({ state }: Pick<MappingRecord, "state">): boolean {
  return state === "Creating" || state === "Enabling" || state === "Enabled" || state === "Updating";
}

/** The state that a transitional one ends in; undefined: the mapping is gone then. */
export function settledMappingState(state: MappingState): "Enabled" | "Disabled" | undefined {
  if (state === "Deleting") return undefined;
  return isMappingOn({ state }) ? "Enabled" : "Disabled";
}
