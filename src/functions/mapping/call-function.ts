// One batch, one function: calls it, and while it is throttled calls it again with the same batch, until the messages
// are no longer held for it. Then they are let go: they come back when their visibility timeout is over, counted once.

import type { Clock } from "../../base/clock.ts";
import { pause } from "../../base/pause.ts";
import type { InvokeFunction, InvokeOutcome } from "./ports.ts";

const BACK_OFF_MS_MIN = 100;
const BACK_OFF_MS_MAX = 5000;

export interface FunctionCall {
  invoke: InvokeFunction;
  functionArn: string;
  payload: Uint8Array;
  clock: Clock;
  heldUntilMs: number;
  /** Ends the waiting between attempts, not an attempt. */
  letGo: AbortSignal;
  /** No attempt follows: the mapping was switched off, or is to stop. */
  isLetGo: () => boolean;
  /** Ends an attempt. */
  signal: AbortSignal;
  onThrottled: () => void;
}

/** `throttled` when all attempts were. Never rejects. */
export async function callFunction(call: FunctionCall): Promise<InvokeOutcome> {
  const { clock, letGo, heldUntilMs } = call;
  for (let backOffMs = BACK_OFF_MS_MIN; ; backOffMs = Math.min(backOffMs * 2, BACK_OFF_MS_MAX)) {
    const outcome = await attempt(call);
    if (outcome.is !== "throttled") return outcome;
    call.onThrottled();
    if (clock.nowMs() + backOffMs >= heldUntilMs) return outcome;
    await pause(clock, backOffMs, letGo);
    if (call.isLetGo()) return outcome;
  }
}

async function attempt({ invoke, functionArn, payload, signal }: FunctionCall): Promise<InvokeOutcome> {
  try {
    return await invoke(functionArn, payload, { signal });
  } catch (error) {
    return { is: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}
