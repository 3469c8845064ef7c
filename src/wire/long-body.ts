// Requests that may be longer than all others: those that bring a function's code, in base64.

import {
  CREATE_FUNCTION_REQUEST_BYTES_MAX,
  UPDATE_FUNCTION_CODE_REQUEST_BYTES_MAX,
} from "../engine/function-limits.ts";
import type { RequestHead } from "./exchange.ts";

const CREATE = /^\/2015-03-31\/functions\/?(?:\?|$)/;
const UPDATE = /^\/2015-03-31\/functions\/[^/?]+\/code\/?(?:\?|$)/;

/** Undefined for requests that are held to the server's own limit. */
export function longBodyBytesMax({ method, target }: RequestHead): number | undefined {
  if (method === "POST" && CREATE.test(target)) return CREATE_FUNCTION_REQUEST_BYTES_MAX;
  if (method === "PUT" && UPDATE.test(target)) return UPDATE_FUNCTION_CODE_REQUEST_BYTES_MAX;
  return undefined;
}
