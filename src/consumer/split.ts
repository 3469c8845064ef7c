// Cuts a list into requests of at most ten entries and at most so many bytes, in order.

import { BATCH_ENTRIES_MAX } from "./limits.ts";

/** An item that is larger than `bytesMax` gets a request to itself; whether it may be sent is not decided here. */
export function splitEntries<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  bytesMax: number,
): Item[][] {
  const requests: Item[][] = [];
  let request: Item[] = [];
  let requestBytes = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (request.length === BATCH_ENTRIES_MAX || (request.length > 0 && requestBytes + bytes > bytesMax)) {
      requests.push(request);
      request = [];
      requestBytes = 0;
    }
    request.push(item);
    requestBytes += bytes;
  }
  if (request.length > 0) requests.push(request);
  return requests;
}
