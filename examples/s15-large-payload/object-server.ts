// A stand-in for S3, so that the example needs none: objects by PUT, GET and DELETE on /bucket/key, in memory. Against
// the real one, `s3ObjectStore` takes an S3Client of the AWS SDK.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidMessage, type ObjectStore } from "millpond/consumer";

export interface ObjectServer {
  store: ObjectStore;
  objects: ReadonlyMap<string, Buffer>;
  stop(): void;
}

export async function startObjectServer(): Promise<ObjectServer> {
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === "PUT") objects.set(path, Buffer.concat(chunks));
    if (request.method === "DELETE") objects.delete(path);
    const found = objects.get(path);
    if (request.method === "GET") response.writeHead(found === undefined ? 404 : 200).end(found);
    else response.writeHead(request.method === "DELETE" ? 204 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store: ObjectStore = {
    async put(bucket, key, body) {
      await fetch(`${endpoint}/${bucket}/${key}`, { method: "PUT", body });
    },
    async get(bucket, key, signal) {
      const response = await fetch(`${endpoint}/${bucket}/${key}`, { ...(signal && { signal }) });
      if (response.status === 404) throw new InvalidMessage("the large payload is gone", { bucket, key });
      return response.text();
    },
    async delete(bucket, key) {
      await fetch(`${endpoint}/${bucket}/${key}`, { method: "DELETE" });
    },
  };
  return {
    store,
    objects,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
