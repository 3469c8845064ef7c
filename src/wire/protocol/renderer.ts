// How one request wants its answer written. Chosen before anything else is known about the request, so that even
// the first refusal is in the caller's own protocol.

import type { Refusal } from "../../engine/refusal.ts";
import type { WireResponse } from "../exchange.ts";
import type { Structure } from "./model.ts";

export interface Renderer {
  /** `shape` is absent for operations that answer with nothing; `output` is then empty. */
  success(operation: string, shape: Structure | undefined, output: object, requestId: string): WireResponse;
  failure(refused: Refusal, requestId: string): WireResponse;
}
