// Whether the caller is whom a statement's Principal names. An account stands for everybody in it; a user or a role
// only for itself; `*` also for services. Wildcards inside a principal are no patterns, as in AWS.

import type { PrincipalClause } from "./policy-document.ts";

/** Who asks: a service of ours in its own name, or a user or role of an account. */
export interface Principal {
  /** `sns.amazonaws.com`. */
  service?: string;
  /** Twelve digits; read from the ARN when only that is given. */
  account?: string;
  arn?: string;
}

export function isNamed(clause: PrincipalClause, principal: Principal): boolean {
  return isListed(clause, principal) !== clause.isNegated;
}

function isListed({ isEverybody, aws, services }: PrincipalClause, { service, account, arn }: Principal): boolean {
  if (isEverybody) return true;
  if (service !== undefined) return services.includes(service);
  const home = account ?? arn?.split(":")[4];
  return aws.some((named) => named === arn || (home !== undefined && accountOf(named) === home));
}

/** Both spellings of a whole account: its number, and the ARN of its root. */
function accountOf(named: string): string | undefined {
  return /^(?:arn:aws[\w-]*:iam::)?(\d{12})(?::root)?$/.exec(named)?.[1];
}
