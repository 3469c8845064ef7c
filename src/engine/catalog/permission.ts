// AddPermission and RemovePermission: statements of the queue's Policy attribute, made and taken away by label
// (sqs.md §10.1, §10.2).

import { accept, type Result, refuse } from "../../base/result.ts";
import type { CommandOf, QueueKey } from "../command.ts";
import { PERMISSION_LABEL_CHARACTERS_MAX, POLICY_ACTIONS_MAX, POLICY_STATEMENTS_MAX } from "../limits.ts";
import { queueArn } from "../queue-arn.ts";
import { invalidParameter, invalidValue, type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import { requireQueue } from "./catalog.ts";
import { oneOrMany, type PolicyDocument, readPolicy } from "./policy-document.ts";
import type { QueueRecord } from "./queue-record.ts";

const GRANTABLE = new Set([
  "*",
  "ChangeMessageVisibility",
  "DeleteMessage",
  "GetQueueAttributes",
  "GetQueueUrl",
  "ListDeadLetterSourceQueues",
  "PurgeQueue",
  "ReceiveMessage",
  "SendMessage",
]);

const OWNER_ONLY = new Set([
  "AddPermission",
  "CancelMessageMoveTask",
  "CreateQueue",
  "DeleteQueue",
  "ListMessageMoveTasks",
  "ListQueueTags",
  "ListQueues",
  "RemovePermission",
  "SetQueueAttributes",
  "StartMessageMoveTask",
  "TagQueue",
  "UntagQueue",
]);

export function decideAddPermission(
  state: ShardState,
  command: CommandOf<"addPermission">,
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const { queue, label, accountIds, actions } = command;
  const found = requireQueue(state.catalog, queue);
  if (!found.ok) return found;
  const policy = policyOf(found.value) ?? emptyPolicy(queue);
  const problem =
    refuseLabel(label) ?? refuseActions(actions) ?? refuseAccounts(accountIds) ?? refuseStatement(policy, label);
  if (problem !== undefined) return refuse(problem);
  policy.Statement.push({
    Sid: label,
    Effect: "Allow",
    Principal: { AWS: oneOrMany(accountIds.map((account) => `arn:aws:iam::${account}:root`)) },
    Action: oneOrMany(actions.map((action) => `SQS:${action}`)),
    Resource: queueArn(queue),
  });
  return accept(recordPolicy(state, found.value, policy, record));
}

export function decideRemovePermission(
  state: ShardState,
  command: CommandOf<"removePermission">,
  record: Recorder,
): Result<QueueRecord, Refusal> {
  const found = requireQueue(state.catalog, command.queue);
  if (!found.ok) return found;
  const policy = policyOf(found.value);
  const kept = policy?.Statement.filter((statement) => statement.Sid !== command.label);
  if (policy === undefined || kept === undefined || kept.length === policy.Statement.length) {
    return refuse(invalidValue(command.label, "Label", "can't find label."));
  }
  return accept(recordPolicy(state, found.value, { ...policy, Statement: kept }, record));
}

function refuseLabel(label: string): Refusal | undefined {
  const isWellFormed = /^[A-Za-z0-9_-]+$/.test(label) && label.length <= PERMISSION_LABEL_CHARACTERS_MAX;
  if (isWellFormed) return undefined;
  return invalidValue(
    label,
    "Label",
    "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
  );
}

function refuseActions(actions: string[]): Refusal | undefined {
  if (actions.length > POLICY_ACTIONS_MAX) {
    return refusal("OverLimit", `${actions.length} Actions were found, maximum allowed is ${POLICY_ACTIONS_MAX}.`);
  }
  for (const action of actions) {
    if (GRANTABLE.has(action)) continue;
    const reason = OWNER_ONLY.has(action)
      ? "Only the queue owner is allowed to invoke this action."
      : "Please refer to the appropriate WSDL for a list of valid actions.";
    return invalidValue(`SQS:${action}`, "ActionName", reason);
  }
  return undefined;
}

function refuseAccounts(accountIds: string[]): Refusal | undefined {
  if (accountIds.every((account) => /^\d{12}$/.test(account))) return undefined;
  return invalidParameter(
    `Value [${accountIds.join(", ")}] for parameter PrincipalId is invalid. Reason: Unable to verify.`,
  );
}

function refuseStatement(policy: PolicyDocument, label: string): Refusal | undefined {
  if (policy.Statement.some((statement) => statement.Sid === label)) {
    return invalidValue(label, "Label", "Already exists.");
  }
  const count = policy.Statement.length + 1;
  if (count <= POLICY_STATEMENTS_MAX) return undefined;
  return refusal("OverLimit", `${count} Statements were found, maximum allowed is ${POLICY_STATEMENTS_MAX}.`);
}

function policyOf(record: QueueRecord): PolicyDocument | undefined {
  const text = record.attributes.Policy;
  return text === undefined ? undefined : readPolicy(text);
}

function emptyPolicy(queue: QueueKey): PolicyDocument {
  return { Version: "2008-10-17", Id: `${queueArn(queue)}/SQSDefaultPolicy`, Statement: [] };
}

/** The last statement takes the attribute with it. */
function recordPolicy(state: ShardState, current: QueueRecord, policy: PolicyDocument, record: Recorder): QueueRecord {
  const { Policy: _, ...others } = current.attributes;
  const attributes = policy.Statement.length === 0 ? others : { ...others, Policy: JSON.stringify(policy) };
  const changed = { ...current, attributes, modifiedAtMs: state.nowMs };
  record({ kind: "QueueRecorded", record: changed });
  return changed;
}
