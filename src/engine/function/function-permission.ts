// A function's resource policy: one document, whose statements name the function or one version or alias of it.

import { accept, type Result, refuse } from "../../base/result.ts";
import { FUNCTION_POLICY_BYTES_MAX } from "../function-limits.ts";
import { type Refusal, refusal } from "../refusal.ts";
import type { Recorder, ShardState } from "../state.ts";
import type { FunctionCommand } from "./function-command.ts";
import { type FunctionRecord, functionArn, recordFunction } from "./function-record.ts";
import { conflict, invalidParameter, notFound, refuseRevision, requireVersion } from "./function-refusals.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

interface Statement {
  Sid: string;
  Effect: "Allow";
  Principal: "*" | { Service: string } | { AWS: string };
  Action: string;
  Resource: string;
  Condition?: Record<string, Record<string, string>>;
}

interface Policy {
  Version: string;
  Id: string;
  Statement: Statement[];
}

/** The value is the new statement, JSON, and the function as it is now. */
export function decideAddFunctionPermission(
  state: ShardState,
  command: CommandOf<"addFunctionPermission"> & { revisionId: string },
  record: Recorder,
): Result<{ record: FunctionRecord; statement: string }, Refusal> {
  const found = requireVersion(state.catalog, command.function, command.qualifier);
  if (!found.ok) return found;
  const current = found.value.record;
  const statement = statementOf(command);
  const problem = refuseRevision(command.ifRevision, current.revisionId, "GetPolicy") ?? refuseAction(command.action);
  if (problem !== undefined) return refuse(problem);
  if (statement === undefined) {
    return refuse(invalidParameter("The provided principal was invalid. Please check the principal and try again."));
  }
  const policy = policyOf(current);
  if (policy.Statement.some(({ Sid, Resource }) => Sid === statement.Sid && Resource === statement.Resource)) {
    return refuse(
      conflict(
        `The statement id (${statement.Sid}) provided already exists. ` +
          "Please provide a new statement id, or remove the existing statement.",
      ),
    );
  }
  const text = JSON.stringify({ ...policy, Statement: [...policy.Statement, statement] });
  if (text.length > FUNCTION_POLICY_BYTES_MAX) {
    return refuse(
      refusal(
        "PolicyLengthExceededException",
        `The final policy size (${text.length}) is bigger than the limit (20480).`,
      ),
    );
  }
  const changed = recordFunction({ ...current, policy: text, revisionId: command.revisionId }, record);
  return accept({ record: changed, statement: JSON.stringify(statement) });
}

export function decideRemoveFunctionPermission(
  state: ShardState,
  command: CommandOf<"removeFunctionPermission"> & { revisionId: string },
  record: Recorder,
): Result<FunctionRecord, Refusal> {
  const { function: key, qualifier, statementId } = command;
  const found = requireVersion(state.catalog, key, qualifier);
  if (!found.ok) return found;
  const { record: current } = found.value;
  const stale = refuseRevision(command.ifRevision, current.revisionId, "GetPolicy");
  if (stale !== undefined) return refuse(stale);
  const policy = policyOf(current);
  const resource = functionArn(key, qualifier);
  const kept = policy.Statement.filter(({ Sid, Resource }) => Sid !== statementId || Resource !== resource);
  if (kept.length === policy.Statement.length) {
    return refuse(notFound(`Statement ${statementId} is not found in resource policy.`));
  }
  const { policy: _, ...others } = current;
  const changed = { ...others, revisionId: command.revisionId };
  if (kept.length === 0) return accept(recordFunction(changed, record));
  return accept(recordFunction({ ...changed, policy: JSON.stringify({ ...policy, Statement: kept }) }, record));
}

/** The part of the policy that is about the function, or about the one version or alias. */
export function getFunctionPolicy(
  state: ShardState,
  { function: key, qualifier }: CommandOf<"getFunctionPolicy">,
): Result<{ policy: string; revisionId: string }, Refusal> {
  const found = requireVersion(state.catalog, key, qualifier);
  if (!found.ok) return found;
  const { record } = found.value;
  const policy = policyOf(record);
  const resource = functionArn(key, qualifier);
  const Statement = policy.Statement.filter(({ Resource }) => Resource === resource);
  if (Statement.length === 0) return refuse(notFound("The resource you requested does not exist."));
  return accept({ policy: JSON.stringify({ ...policy, Statement }), revisionId: record.revisionId });
}

function policyOf({ policy }: FunctionRecord): Policy {
  if (policy === undefined) return { Version: "2012-10-17", Id: "default", Statement: [] };
  return JSON.parse(policy) as Policy;
}

function statementOf(command: CommandOf<"addFunctionPermission">): Statement | undefined {
  const { function: key, qualifier, statementId, action, sourceArn, sourceAccount, organizationId } = command;
  const Principal = principalOf(command.principal);
  if (Principal === undefined) return undefined;
  const equals: Record<string, string> = {};
  if (sourceAccount !== undefined) equals["AWS:SourceAccount"] = sourceAccount;
  if (organizationId !== undefined) equals["aws:PrincipalOrgID"] = organizationId;
  const Condition: Record<string, Record<string, string>> = {};
  if (Object.keys(equals).length > 0) Condition["StringEquals"] = equals;
  if (sourceArn !== undefined) Condition["ArnLike"] = { "AWS:SourceArn": sourceArn };
  return {
    Sid: statementId,
    Effect: "Allow",
    Principal,
    Action: action,
    Resource: functionArn(key, qualifier),
    ...(Object.keys(Condition).length === 0 ? {} : { Condition }),
  };
}

function principalOf(text: string): Statement["Principal"] | undefined {
  if (text === "*") return "*";
  if (/^\d{12}$/.test(text)) return { AWS: `arn:aws:iam::${text}:root` };
  if (/^arn:[^:]+:(?:iam|sts)::\d{12}:.+$/.test(text)) return { AWS: text };
  return /^[a-z0-9.-]+\.amazonaws\.com(?:\.cn)?$/.test(text) ? { Service: text } : undefined;
}

function refuseAction(action: string): Refusal | undefined {
  return /^lambda:[A-Za-z*]+$|^\*$/.test(action)
    ? undefined
    : invalidParameter("The provided action was invalid. Please check the action and try again.");
}
