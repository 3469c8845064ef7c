// A resource policy as its owner wrote it, far enough to add statements to it and to take them away. What it allows is
// access/'s to say.

export interface Statement {
  Sid?: string;
  [member: string]: unknown;
}

export interface PolicyDocument {
  Version: string;
  Id?: string;
  Statement: Statement[];
}

/** Undefined for a text that is no policy: one that has no statements, or could not be written again. */
export function readPolicy(text: string): PolicyDocument | undefined {
  try {
    const policy = JSON.parse(text) as PolicyDocument | null;
    // A single statement may stand without a list around it.
    const statements = [policy?.Statement].flat();
    if (policy === null || !statements.every(isStatement)) return undefined;
    const read = { ...policy, Statement: statements };
    // Nested too deeply for that, it would fail whoever adds a statement later.
    JSON.stringify(read);
    return read;
  } catch {
    return undefined;
  }
}

export function oneOrMany(values: string[]): string | string[] {
  return values.length === 1 ? (values[0] as string) : values;
}

function isStatement(value: unknown): value is Statement {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
