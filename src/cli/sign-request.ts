// Signature version 4 of a JSON request, for AWS's own endpoints: Millpond asks for none. Keys come from the environment;
// profiles and roles are the AWS CLI's business (`aws configure export-credentials --format env`).

import { createHash, createHmac } from "node:crypto";
import type { Environment } from "../config/index.ts";

export interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

export function isAwsEndpoint(endpoint: string): boolean {
  return /(?:\.amazonaws\.com(?:\.cn)?|\.api\.aws)$/.test(new URL(endpoint).hostname);
}

/** Undefined without both halves of a key. */
export function keysIn(environment: Environment): Keys | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined };
}

/** The given headers, which are all signed, and those of the signature. For a POST to the URL's path without a query. */
export function signed(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { region, service, keys, nowMs }: { region: string; service: string; keys: Keys; nowMs: number },
): Record<string, string> {
  const { host, pathname } = new URL(url);
  const atTime = `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const scope = `${atTime.slice(0, 8)}/${region}/${service}/aws4_request`;
  const all: Record<string, string> = { ...headers, host, "x-amz-date": atTime };
  if (keys.sessionToken !== undefined) all["x-amz-security-token"] = keys.sessionToken;
  const names = Object.keys(all).sort();
  const lines = names.map((name) => `${name}:${all[name]}\n`).join("");
  const signedNames = names.join(";");
  const canonical = ["POST", pathname, "", lines, signedNames, sha256(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", atTime, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<Buffer | string>((from, part) => hmac(from, part), `AWS4${keys.secretAccessKey}`);
  // fetch writes the host itself.
  const { host: _, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${hmac(key, text).toString("hex")}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
