// Answers of ours that are not in an AWS protocol: JSON, and {"error", "message"} for a refusal.

import type { FrontResponse } from "./http-front.ts";

export function json(status: number, value: unknown): FrontResponse {
  return { status, headers: { "content-type": "application/json" }, body: `${JSON.stringify(value)}\n` };
}

export function refused(status: number, error: string, message: string): FrontResponse {
  return json(status, { error, message });
}
