// Idempotency-Key around a handler of the fetch kind: a Request in, a Response out.

import { HttpIdempotency, type HttpIdempotencyOptions } from "./http-idempotency.ts";
import type { Attempt } from "./idempotent.ts";

/** `attempt` is undefined for a request that is not guarded. */
export type FetchHandler<Tx> = (request: Request, attempt: Attempt<Tx> | undefined) => Response | Promise<Response>;

/** The answer is read whole before it is sent, since it is saved first. */
export function idempotentFetch<Tx>(
  handler: FetchHandler<Tx>,
  options: HttpIdempotencyOptions<Tx>,
): (request: Request) => Promise<Response> {
  const guard = new HttpIdempotency(options);
  return async (request) => {
    if (!guard.guards(request.method)) return handler(request, undefined);
    const body = new Uint8Array(await request.arrayBuffer());
    const { pathname, search } = new URL(request.url);
    const asked = {
      method: request.method,
      path: pathname + search,
      header: (name: string) => request.headers.get(name) ?? undefined,
      body,
    };
    const answer = await guard.answer(asked, async (attempt) => {
      const response = await handler(new Request(request, { body }), attempt);
      return {
        status: response.status,
        headers: [...response.headers],
        body: new Uint8Array(await response.arrayBuffer()),
      };
    });
    // A Response with these statuses must have no body, not even an empty one.
    const isBodiless = [101, 204, 205, 304].includes(answer.status);
    return new Response(isBodiless ? null : answer.body, { status: answer.status, headers: answer.headers });
  };
}
