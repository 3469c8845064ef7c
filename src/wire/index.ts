// The door of the wire: bytes of AWS's protocols to commands, and answers back to bytes. Pure: no sockets, no clock;
// the one source of chance is the UUID that the settings carry.

export type { RequestHead, WireRequest, WireResponse, WireSettings } from "./exchange.ts";
export { REQUEST_BYTES_MAX } from "./exchange.ts";
export { isAwsRequest, isFunctionRequest } from "./is-aws-request.ts";
export { longBodyBytesMax } from "./long-body.ts";
export type { Parsed } from "./read-request.ts";
export { faultResponse, readRequest, refusalResponse } from "./read-request.ts";
