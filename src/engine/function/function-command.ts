// What may be asked about functions and event source mappings, and the answers. Whatever only looks at a function is
// one question: its record has all of it.

import type { Scope } from "../command.ts";
import type {
  EventInvokeConfig,
  FunctionAlias,
  FunctionForm,
  FunctionKey,
  FunctionRecord,
  FunctionSettings,
  FunctionVersion,
} from "./function-record.ts";
import type { MappingRecord } from "./mapping-record.ts";

/** What a caller chooses of a function's settings. */
export type GivenSettings = Omit<FunctionSettings, "form" | "revisionId" | "modifiedAtMs">;
export type GivenMapping = Pick<
  MappingRecord,
  | "batchSize"
  | "batchingWindowMs"
  | "reportsBatchItemFailures"
  | "maximumConcurrency"
  | "provisionedPollers"
  | "filters"
  | "metrics"
  | "kmsKeyArn"
>;

/** Code to keep, or where its owner keeps it: no client from outside may name files of this machine. */
export type GivenCode = { zip: Uint8Array } | { runFrom: Exclude<FunctionForm, { is: "zip" }> };

export type FunctionCommand =
  | ({
      kind: "createFunction";
      function: FunctionKey;
      settings: GivenSettings;
      tags: Record<string, string>;
      publish: boolean;
    } & GivenCode)
  | ({
      kind: "updateFunctionCode";
      function: FunctionKey;
      architecture?: string;
      publish: boolean;
      dryRun: boolean;
      ifRevision?: string;
    } & GivenCode)
  | {
      kind: "updateFunctionSettings";
      function: FunctionKey;
      /** A dead-letter ARN of "" takes it off. */
      changes: Partial<GivenSettings>;
      ifRevision?: string;
    }
  | { kind: "getFunction"; function: FunctionKey; qualifier?: string }
  | { kind: "getAlias"; function: FunctionKey; name: string }
  | { kind: "getEventInvoke"; function: FunctionKey; qualifier?: string }
  | { kind: "getFunctionPolicy"; function: FunctionKey; qualifier?: string }
  | { kind: "listFunctions"; scope: Scope; marker?: string; itemsMax: number }
  /** With a qualifier: that version alone. */
  | { kind: "deleteFunction"; function: FunctionKey; qualifier?: string }
  | { kind: "publishVersion"; function: FunctionKey; sha256?: string; description?: string; ifRevision?: string }
  | { kind: "createAlias"; function: FunctionKey; name: string; version: string; description: string }
  | {
      kind: "updateAlias";
      function: FunctionKey;
      name: string;
      version?: string;
      description?: string;
      ifRevision?: string;
    }
  /** One that is not there is gone already. */
  | { kind: "deleteAlias"; function: FunctionKey; name: string }
  /** Absent: none is reserved any more. */
  | { kind: "reserveConcurrency"; function: FunctionKey; reservedConcurrency?: number }
  | {
      kind: "putEventInvoke";
      function: FunctionKey;
      qualifier?: string;
      config: Omit<EventInvokeConfig, "modifiedAtMs">;
      /** What is not given stays as it is, instead of going back to AWS's own. */
      isUpdate: boolean;
    }
  | { kind: "deleteEventInvoke"; function: FunctionKey; qualifier?: string }
  | {
      kind: "addFunctionPermission";
      function: FunctionKey;
      qualifier?: string;
      statementId: string;
      action: string;
      principal: string;
      sourceArn?: string;
      sourceAccount?: string;
      organizationId?: string;
      ifRevision?: string;
    }
  | {
      kind: "removeFunctionPermission";
      function: FunctionKey;
      qualifier?: string;
      statementId: string;
      ifRevision?: string;
    }
  | { kind: "tagFunction"; function: FunctionKey; tags: Record<string, string> }
  | { kind: "untagFunction"; function: FunctionKey; tagKeys: string[] }
  | {
      kind: "createMapping";
      scope: Scope;
      eventSourceArn: string;
      function: FunctionKey;
      qualifier?: string;
      functionArn: string;
      isOn: boolean;
      given: Partial<GivenMapping>;
      tags: Record<string, string>;
    }
  | {
      kind: "updateMapping";
      scope: Scope;
      uuid: string;
      function?: { key: FunctionKey; qualifier?: string; arn: string };
      isOn?: boolean;
      /** Those of `removes` go back to what they are when nobody says anything. */
      given: Partial<GivenMapping>;
      removes: ("maximumConcurrency" | "provisionedPollers")[];
    }
  | { kind: "getMapping"; scope: Scope; uuid: string }
  | {
      kind: "listMappings";
      scope: Scope;
      eventSourceArn?: string;
      functionArn?: string;
      marker?: string;
      itemsMax: number;
    }
  | { kind: "deleteMapping"; scope: Scope; uuid: string }
  | { kind: "tagMapping"; scope: Scope; uuid: string; tags: Record<string, string> }
  | { kind: "untagMapping"; scope: Scope; uuid: string; tagKeys: string[] }
  | {
      kind: "invokeFunction";
      function: FunctionKey;
      qualifier?: string;
      /** `wait`: answers with what the function answered. `event`: when the event is durable. `check`: runs nothing. */
      how: "wait" | "event" | "check";
      /** JSON text, or nothing. */
      payload: Uint8Array;
      /** JSON text. */
      clientContext?: string;
      traceHeader?: string;
    };

export interface DescribedFunction {
  record: FunctionRecord;
  /** The one that was asked for. */
  version: FunctionVersion;
  qualifier?: string;
}

export interface InvokeAnswer {
  /** Empty unless somebody waited. */
  payload: Uint8Array;
  functionError?: "Unhandled" | "Handled";
  /** The last 4 KiB in base64. */
  logTail?: string;
  executedVersion: string;
}

export interface FunctionAnswers {
  createFunction: DescribedFunction;
  updateFunctionCode: DescribedFunction;
  updateFunctionSettings: DescribedFunction;
  getFunction: DescribedFunction;
  getAlias: FunctionAlias;
  getEventInvoke: EventInvokeConfig;
  /** JSON. */
  getFunctionPolicy: { policy: string; revisionId: string };
  listFunctions: { functions: FunctionRecord[]; nextMarker?: string };
  deleteFunction: null;
  publishVersion: DescribedFunction;
  createAlias: FunctionAlias;
  updateAlias: FunctionAlias;
  deleteAlias: null;
  reserveConcurrency: null;
  putEventInvoke: EventInvokeConfig;
  deleteEventInvoke: null;
  /** The statement, JSON. */
  addFunctionPermission: { statement: string };
  removeFunctionPermission: null;
  tagFunction: null;
  untagFunction: null;
  createMapping: MappingRecord;
  updateMapping: MappingRecord;
  getMapping: MappingRecord;
  listMappings: { mappings: MappingRecord[]; nextMarker?: string };
  deleteMapping: MappingRecord;
  tagMapping: null;
  untagMapping: null;
  invokeFunction: InvokeAnswer;
}

const KINDS: Record<FunctionCommand["kind"], true> = {
  createFunction: true,
  updateFunctionCode: true,
  updateFunctionSettings: true,
  getFunction: true,
  getAlias: true,
  getEventInvoke: true,
  getFunctionPolicy: true,
  listFunctions: true,
  deleteFunction: true,
  publishVersion: true,
  createAlias: true,
  updateAlias: true,
  deleteAlias: true,
  reserveConcurrency: true,
  putEventInvoke: true,
  deleteEventInvoke: true,
  addFunctionPermission: true,
  removeFunctionPermission: true,
  tagFunction: true,
  untagFunction: true,
  createMapping: true,
  updateMapping: true,
  getMapping: true,
  listMappings: true,
  deleteMapping: true,
  tagMapping: true,
  untagMapping: true,
  invokeFunction: true,
};

export function isFunctionCommand<Any extends { kind: string }>(
  command: Any | FunctionCommand,
): command is FunctionCommand {
  return Object.hasOwn(KINDS, command.kind);
}
