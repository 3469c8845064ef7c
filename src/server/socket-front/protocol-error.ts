// Why bytes are not answered as a request. Readers of bytes return one of these numbers where they would return a
// position, so that the way without errors allocates nothing; all are below zero.

export const ProtocolError = {
  requestLine: -1,
  method: -2,
  target: -3,
  headerLine: -4,
  headTooLarge: -5,
  host: -6,
  contentLength: -7,
  transferEncoding: -8,
  repeatedHeader: -9,
  expectation: -10,
  chunk: -11,
  trailerTooLarge: -12,
  bodyTooLarge: -13,
  incomplete: -14,
  tooSlow: -15,
} as const;

const WORDS: Record<number, [status: number, text: string]> = {
  [ProtocolError.requestLine]: [400, "The request line is not that of an HTTP/1.1 request."],
  [ProtocolError.method]: [405, "The method is none that is served here."],
  [ProtocolError.target]: [400, "The request target is neither a path nor an http or https URL."],
  [ProtocolError.headerLine]: [400, "A header line is malformed."],
  [ProtocolError.headTooLarge]: [431, "The request's head is too large."],
  [ProtocolError.host]: [400, "There must be one Host header with a host in it."],
  [ProtocolError.contentLength]: [400, "Content-Length must be there once, and be a whole number."],
  [ProtocolError.transferEncoding]: [
    400,
    "Transfer-Encoding must be chunked, once, without a Content-Length beside it.",
  ],
  [ProtocolError.repeatedHeader]: [400, "A header is there twice that has one value only."],
  [ProtocolError.expectation]: [417, "The only expectation that is met is 100-continue."],
  [ProtocolError.chunk]: [400, "The chunks of the body are malformed."],
  [ProtocolError.trailerTooLarge]: [413, "The body's chunk extensions and trailers are too large."],
  [ProtocolError.bodyTooLarge]: [413, "The request body is too large."],
  [ProtocolError.incomplete]: [400, "The request ends in the middle."],
  [ProtocolError.tooSlow]: [408, "The request took too long to arrive."],
};

export function statusOf(error: number): number {
  return WORDS[error]?.[0] ?? 400;
}

export function textOf(error: number): string {
  return WORDS[error]?.[1] ?? "The request is malformed.";
}
