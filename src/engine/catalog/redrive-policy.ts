// RedrivePolicy ("who takes my spent messages") and RedriveAllowPolicy ("who may name me for that"), as JSON text
// in attributes. Texts: sqs.md §3.4.

import { accept, type Result, refuse } from "../../base/result.ts";
import { MAX_RECEIVE_COUNT_MAX, MAX_RECEIVE_COUNT_MIN, REDRIVE_ALLOW_SOURCES_MAX } from "../limits.ts";
import { parseQueueArn } from "../queue-arn.ts";
import { invalidParameter, invalidValue, type Refusal } from "../refusal.ts";

export interface RedrivePolicy {
  deadLetterTargetArn: string;
  maxReceiveCount: number;
}

export type RedriveAllowPolicy =
  | { redrivePermission: "allowAll" | "denyAll" }
  | { redrivePermission: "byQueue"; sourceQueueArns: string[] };

/** Everything that can be checked without the catalog. */
export function parseRedrivePolicy(text: string): Result<RedrivePolicy, Refusal> {
  const policy = parseMap(text);
  if (policy === undefined) {
    return refuse(
      invalidParameter(
        "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.",
      ),
    );
  }
  for (const name of ["deadLetterTargetArn", "maxReceiveCount"]) {
    if (policy[name] === undefined)
      return invalid(text, `Redrive policy does not contain mandatory attribute: ${name}.`);
  }
  if (Object.keys(policy).length > 2) {
    return invalid(text, "Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn].");
  }
  const count = String(policy.maxReceiveCount);
  const maxReceiveCount = /^\d{1,9}$/.test(count) ? Number(count) : Number.NaN;
  if (!(maxReceiveCount >= MAX_RECEIVE_COUNT_MIN && maxReceiveCount <= MAX_RECEIVE_COUNT_MAX)) {
    return invalid(
      text,
      `Invalid value for maxReceiveCount: ${count}, valid values are from 1 to 1000 both inclusive.`,
    );
  }
  const arn = parseQueueArn(String(policy.deadLetterTargetArn));
  if (arn.is === "other service") return invalid(text, "Only SQS queues are valid resources for deadLetterTargetArn.");
  if (arn.is === "no arn") return invalid(text, "Dead-letter target ARN should be fully qualified ARN.");
  return accept({ deadLetterTargetArn: String(policy.deadLetterTargetArn), maxReceiveCount });
}

export function invalidRedrivePolicy(text: string, reason: string): Refusal {
  return invalidValue(text, "RedrivePolicy", reason);
}

const UNSUPPORTED_FORMAT =
  "Invalid value for the parameter RedriveAllowPolicy. Reason: Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format.";

export function parseRedriveAllowPolicy(text: string): Result<RedriveAllowPolicy, Refusal> {
  const policy = parseMap(text);
  const permission = policy?.redrivePermission;
  if (policy === undefined || (permission !== "allowAll" && permission !== "denyAll" && permission !== "byQueue")) {
    return refuse(invalidParameter(UNSUPPORTED_FORMAT));
  }
  if (Object.keys(policy).some((name) => name !== "redrivePermission" && name !== "sourceQueueArns")) {
    return refuse(invalidParameter(UNSUPPORTED_FORMAT));
  }
  const sources = policy.sourceQueueArns;
  if (permission !== "byQueue") {
    if (sources === undefined) return accept({ redrivePermission: permission });
    return invalidAllow("To specify one or more source queue ARNs, you must set redrivePermission to byQueue.");
  }
  if (!Array.isArray(sources) || !sources.every((arn) => typeof arn === "string")) {
    return refuse(invalidParameter(UNSUPPORTED_FORMAT));
  }
  if (sources.length > REDRIVE_ALLOW_SOURCES_MAX) {
    return invalidAllow(`The maximum number of source queue ARNs you can specify is ${REDRIVE_ALLOW_SOURCES_MAX}.`);
  }
  return accept({ redrivePermission: "byQueue", sourceQueueArns: sources as string[] });
}

export function allowsSource(policy: RedriveAllowPolicy, sourceArn: string): boolean {
  if (policy.redrivePermission === "byQueue") return policy.sourceQueueArns.includes(sourceArn);
  return policy.redrivePermission === "allowAll";
}

function invalid(text: string, reason: string): { ok: false; refusal: Refusal } {
  return refuse(invalidRedrivePolicy(text, reason));
}

function invalidAllow(reason: string): { ok: false; refusal: Refusal } {
  return refuse(invalidParameter(`Invalid value for the parameter RedriveAllowPolicy. Reason: ${reason}`));
}

function parseMap(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMap ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
