// The supervisor's HTTP endpoint: GET of any path answers the report. It has no secrets and changes nothing.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SupervisorReport } from "./report.ts";

export interface ReportServer {
  endpoint: string;
  close(): Promise<void>;
}

/** Rejects when the port cannot be had. */
export async function serveReport(host: string, port: number, report: () => SupervisorReport): Promise<ReportServer> {
  const server = createServer((request, response) => {
    request.resume();
    const isRead = request.method === "GET" || request.method === "HEAD";
    response.writeHead(isRead ? 200 : 405, { "content-type": "application/json" });
    response.end(isRead ? `${JSON.stringify(report())}\n` : undefined);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    endpoint: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
