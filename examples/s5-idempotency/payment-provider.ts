// A payment provider as a small HTTP server, and a client of it. It is the other end of the Idempotency-Key header: one
// charge a key, however often it is asked.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { idempotentNode, memoryStore } from "millpond/consumer";

export interface Provider {
  /** Charges, and answers the charge's id. Throws when the provider refuses. */
  charge(payment: { id: string; cents: number }, idempotencyKey: string): Promise<string>;
  /** Every request, with its key; and the charges that were made of them. */
  readonly requests: readonly string[];
  readonly charges: readonly { id: string; cents: number }[];
  stop(): void;
}

export async function startProvider(): Promise<Provider> {
  const requests: string[] = [];
  const charges: { id: string; cents: number }[] = [];
  const handle = idempotentNode(
    async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { cents } = JSON.parse(Buffer.concat(chunks).toString()) as { cents: number };
      const charge = { id: `ch_${charges.length + 1}`, cents };
      charges.push(charge);
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(charge));
    },
    { store: memoryStore() },
  );
  const server = createServer((request, response) => {
    requests.push(String(request.headers["idempotency-key"]));
    handle(request, response).catch((error) => console.error(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/charges`;
  return {
    async charge({ id, cents }, idempotencyKey) {
      const headers = { "content-type": "application/json", "idempotency-key": `"${idempotencyKey}"` };
      const body = JSON.stringify({ payment: id, cents });
      const response = await fetch(endpoint, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    },
    requests,
    charges,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
