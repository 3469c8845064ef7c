// A Redis client that fails at once while the server is out of reach, and the store's one function over it.

import { createClient } from "@redis/client";
import type { RedisStoreOptions } from "../../../src/consumer/index.ts";

export type Redis = ReturnType<typeof makeClient>;

function makeClient(port: number) {
  return createClient({
    url: `redis://127.0.0.1:${port}`,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: () => 20 },
  });
}

export async function connectRedis(port: number): Promise<Redis> {
  const client = makeClient(port);
  client.on("error", () => {});
  await client.connect();
  return client;
}

export function evalScriptOf(client: Redis): RedisStoreOptions["evalScript"] {
  return (script, keys, args) => client.eval(script, { keys, arguments: args });
}
