// A front process: takes the connections that the main process hands it, reads and checks requests, and writes answers;
// what requests ask for is done in the main process. It begins when it is told how, ends after it was told to close,
// and at once when the main process is gone.

import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { longBodyBytesMax } from "../../wire/index.ts";
import type { AdoptingFront, HttpFrontOptions } from "../http-front.ts";
import type { LogSink } from "../log-sink.ts";
import { NodeHttpFront } from "../node-http-front.ts";
import { PageAccess } from "../page-access.ts";
import { Router } from "../router.ts";
import { SocketFront } from "../socket-front/socket-front.ts";
import { type FromFront, type FrontStart, LINK_FD, type ToFront } from "./messages.ts";
import { RemoteHost } from "./remote-host.ts";

// Ctrl-C in a terminal reaches all processes; this one ends when the main process has had its answers out.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.once("disconnect", () => process.exit(0));

let front: AdoptingFront | undefined;

process.on("message", (message: ToFront, socket?: Socket) => {
  switch (message.kind) {
    case "start":
      front = openFront(message);
      return tell({ kind: "ready" });
    case "connection":
      // It may have been closed on its way.
      if (socket !== undefined) front?.adopt(socket);
      return tell({ kind: "taken" });
    case "close":
      return void front?.close(message.drainMs).then(() => process.disconnect());
  }
});

function openFront(start: FrontStart): AdoptingFront {
  const { requestBytesMax, tls, timeouts } = start;
  const router = routerFor(start);
  const options: HttpFrontOptions = {
    handler: (request, caller) => router.handle(request, caller),
    refuseTooLarge: (request) => router.refuseTooLarge(request),
    requestBytesMax,
    longBodyBytesMax,
    ...(tls === undefined ? {} : { tls }),
  };
  const opened = start.httpFront === "node" ? new NodeHttpFront(options, timeouts) : new SocketFront(options, timeouts);
  opened.open(start.authority);
  return opened;
}

function routerFor({ wireSettings, corsOrigins, requestBytesMax }: FrontStart): Router {
  const host = new RemoteHost(new Socket({ fd: LINK_FD, readable: true, writable: true }));
  return new Router({
    host,
    admin: { handle: (request) => host.forward(request) },
    signer: { serve: (request) => host.forward(request) },
    wireSettings: { ...wireSettings, uuid: randomUUID },
    pages: new PageAccess(corsOrigins),
    requestBytesMax,
    log,
  });
}

const log: LogSink = (level, text, details) => {
  tell({ kind: "log", level, text, ...(details === undefined ? {} : { details }) });
};

function tell(message: FromFront): void {
  process.send?.(message);
}
