// An account's settings for text messages. Nothing sends any here; they are stored and answered for programs that set
// them up (API reference, SetSMSAttributes).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { Scope } from "../command.ts";
import type { Refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { TopicCommand } from "./topic-command.ts";
import { invalid } from "./topic-refusals.ts";

export interface SmsAttributesRecord {
  scope: Scope;
  attributes: Record<string, string>;
}

type CommandOf<Kind extends TopicCommand["kind"]> = Extract<TopicCommand, { kind: Kind }>;

const NAMES = new Set([
  "MonthlySpendLimit",
  "DeliveryStatusIAMRole",
  "DeliveryStatusSuccessSamplingRate",
  "DefaultSenderID",
  "DefaultSMSType",
  "UsageReportS3Bucket",
]);

export function smsAttributesOf(state: ShardState, scope: Scope): Record<string, string> {
  return state.catalog.resources.get("smsAttributes", keyOf(scope))?.attributes ?? {};
}

export function decideSetSmsAttributes(
  state: ShardState,
  { scope, attributes }: CommandOf<"setSmsAttributes">,
  record: Recorder,
): Result<null, Refusal> {
  const unknown = Object.keys(attributes).find((name) => !NAMES.has(name));
  if (unknown !== undefined) return refuse(invalid(`${unknown} is not a valid attribute`));
  const type = attributes.DefaultSMSType;
  if (type !== undefined && type !== "Promotional" && type !== "Transactional") {
    return refuse(invalid("DefaultSMSType is invalid"));
  }
  const merged = { ...smsAttributesOf(state, scope), ...attributes };
  const kept: SmsAttributesRecord = { scope, attributes: merged };
  record({ kind: "ResourceRecorded", entry: { type: "smsAttributes", key: keyOf(scope), record: kept } });
  return accept(null);
}

function keyOf({ region, account }: Scope): string {
  return `${region}:${account}`;
}
