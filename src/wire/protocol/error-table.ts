// How refusals are spelled on the wire: the JSON type with its namespace, the code that the Query protocol and batch
// entries use, the HTTP status and whose fault it is. Each service has a table of its own, since the same mishap goes
// by different names; what any request can meet follows the API references, "Common errors", and is spelled here.

import type { CommonRefusalCode, Refusal, RefusalCode } from "../../engine/refusal.ts";

export interface ErrorSpelling {
  /** The body's `__type` in the JSON protocol. */
  jsonType: string;
  queryCode: string;
  status: number;
  fault: "Sender" | "Receiver";
}

export interface ErrorTable {
  spellingOf(code: RefusalCode): ErrorSpelling;
  /** The refusal's text as the Query protocol and batch entries write it. */
  queryMessageOf(refusal: Refusal): string;
}

const COMMON = "com.amazon.coral.service#";

const common: Record<CommonRefusalCode, ErrorSpelling> = {
  InvalidParameterValue: spelled(`${COMMON}InvalidParameterValueException`, "InvalidParameterValue", 400),
  MissingParameter: spelled(`${COMMON}MissingRequiredParameterException`, "MissingParameter", 400),
  Serialization: spelled(`${COMMON}SerializationException`, "MalformedInput", 400),
  UnknownOperation: spelled(`${COMMON}UnknownOperationException`, "UnknownOperationException", 404),
  InvalidAction: spelled(`${COMMON}InvalidAction`, "InvalidAction", 400),
  MissingAction: spelled(`${COMMON}MissingAction`, "MissingAction", 400),
  MalformedQueryString: spelled(`${COMMON}MalformedQueryString`, "MalformedQueryString", 404),
  RequestTooLarge: spelled(`${COMMON}RequestTooLarge`, "RequestTooLarge", 413),
  InternalFailure: spelled(`${COMMON}InternalFailure`, "InternalFailure", 500),
  ServiceUnavailable: spelled(`${COMMON}ServiceUnavailable`, "ServiceUnavailable", 503),
};

/**
 * `own` are a service's codes, and its spellings of common ones where they differ. Another service's code, which
 * only a mistake of ours can bring, goes out under its own name.
 */
export function errorTable<Own extends RefusalCode>(
  own: Record<Own, ErrorSpelling>,
  queryMessageOf: (refusal: Refusal) => string = ({ message }) => message,
): ErrorTable {
  const table: Partial<Record<RefusalCode, ErrorSpelling>> = { ...common, ...own };
  return { spellingOf: (code) => table[code] ?? spelled(`${COMMON}${code}`, code, 400), queryMessageOf };
}

export function spelled(jsonType: string, queryCode: string, status: number): ErrorSpelling {
  return { jsonType, queryCode, status, fault: status >= 500 ? "Receiver" : "Sender" };
}
