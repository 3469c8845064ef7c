// What the main process and its front processes say to each other, as plain values. Work goes over a pipe of its own,
// many messages in a frame (link.ts); connections, and what happens once in a process's life, over Node's channel.

import type { FaultCode } from "../../base/fault.ts";
import type { Settings } from "../../config/index.ts";
import type { Command, CommandKind, Outcome } from "../../engine/command.ts";
import type { WireSettings } from "../../wire/index.ts";
import type { FrontTimeouts } from "../front-limits.ts";
import type { FrontRequest, FrontResponse, TlsIdentity } from "../http-front.ts";
import type { LogLevel } from "../log-sink.ts";

/** Where a front finds its end of the pipe; Node's channel is 3. */
export const LINK_FD = 4;

/** From a front. `id` is the front's own, and every answer carries it back. */
export type Asked =
  | { kind: "command"; id: number; command: Command }
  /** One that is not an AWS operation: answered by the main process as a whole. */
  | { kind: "request"; id: number; request: FrontRequest }
  /** The client of a command that waits has hung up. */
  | { kind: "hungUp"; id: number };

/** To a front: exactly one for each command and request, and `waits` before some. */
export type Answered =
  /** `of` says how it is packed, and does not travel. */
  | { kind: "outcome"; id: number; of?: CommandKind; outcome: Outcome }
  | { kind: "response"; id: number; response: FrontResponse }
  | { kind: "fault"; id: number; code: FaultCode; message: string }
  /** A bug: `stack` is for the log. */
  | { kind: "failure"; id: number; stack: string }
  /** The command has begun to wait: the main process wants to know when its client hangs up. */
  | { kind: "waits"; id: number };

/** What a front process needs to know before it serves. */
export interface FrontStart {
  httpFront: Settings["httpFront"];
  corsOrigins: string;
  requestBytesMax: number;
  wireSettings: Omit<WireSettings, "uuid">;
  timeouts: FrontTimeouts;
  tls?: TlsIdentity;
  /** Where clients connect to. */
  authority: string;
}

export type ToFront =
  | ({ kind: "start" } & FrontStart)
  /** Comes with the socket. */
  | { kind: "connection" }
  | { kind: "close"; drainMs: number };

export type FromFront =
  | { kind: "ready" }
  /** The oldest connection that was handed over and not yet taken. */
  | { kind: "taken" }
  | { kind: "log"; level: LogLevel; text: string; details?: Record<string, unknown> };
