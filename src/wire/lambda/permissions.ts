// Statements of a function's resource policy: who else may invoke it.

import { needed } from "./check.ts";
import { functionOf } from "./function-of.ts";
import { ask, noOutput, operation } from "./operation.ts";

export const addPermission = operation("AddPermission", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  const statementId = needed(input.StatementId, "statementId");
  if (!statementId.ok) return statementId;
  const action = needed(input.Action, "action");
  if (!action.ok) return action;
  const principal = needed(input.Principal, "principal");
  if (!principal.ok) return principal;
  const { SourceArn: sourceArn, SourceAccount: sourceAccount, PrincipalOrgID: organizationId } = input;
  return ask(
    {
      kind: "addFunctionPermission",
      ...named.value,
      statementId: statementId.value,
      action: action.value,
      principal: principal.value,
      ...(sourceArn === undefined ? {} : { sourceArn }),
      ...(sourceAccount === undefined ? {} : { sourceAccount }),
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(input.RevisionId === undefined ? {} : { ifRevision: input.RevisionId }),
    },
    ({ statement }) => ({ Statement: statement }),
  );
});

export const removePermission = operation("RemovePermission", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  const statementId = input.StatementId ?? "";
  const ifRevision = input.RevisionId === undefined ? {} : { ifRevision: input.RevisionId };
  return ask({ kind: "removeFunctionPermission", ...named.value, statementId, ...ifRevision }, noOutput);
});

export const getPolicy = operation("GetPolicy", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  return ask({ kind: "getFunctionPolicy", ...named.value }, ({ policy, revisionId }) => ({
    Policy: policy,
    RevisionId: revisionId,
  }));
});
