// The Standard Schema interface (version 1), which zod, valibot, arktype and others offer, as far as it is used here.
// The types are written out so that no package is needed for them.

import { InvalidMessage } from "./errors.ts";

export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  /** What is wrong, in words. */
  readonly message: string;
  /** Where in the value; absent when it is the whole of it. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Issues that go along with a rejected message: enough to see what is wrong, few enough to fit. */
const ISSUES_MAX = 5;

/** The validated value; throws InvalidMessage with the first issues. */
export async function validate<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.slice(0, ISSUES_MAX).map(({ message, path }) => {
    const keys = (path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
    return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  });
  throw new InvalidMessage("the body does not match the schema", { issues });
}
