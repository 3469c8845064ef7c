// Puts the server together and takes it apart: storage, host, wire, router, front. Starting is all or nothing: what
// was opened before a failure is closed again. Stopping is in the one order that loses nothing: refuse connections,
// let the host answer its waiting long polls and sync, let those answers out, release the data folder.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import type { Settings } from "../config/index.ts";
import { processEnvironment, resolveSettings } from "../config/index.ts";
import { type Functions, type MappingReports, openFunctions } from "../functions/index.ts";
import type { Host, HostStatus, IdSource } from "../host/index.ts";
import { startHost } from "../host/index.ts";
import { FUNCTIONS_FOLDER } from "../log/index.ts";
import type { WireSettings } from "../wire/index.ts";
import { longBodyBytesMax } from "../wire/index.ts";
import type { MovableClock } from "./admin-api.ts";
import { AdminApi } from "./admin-api.ts";
import { type FrontTimeouts, TIMEOUTS } from "./front-limits.ts";
import { FrontPool } from "./front-workers/front-pool.ts";
import type { FrontHandler, FrontRequest, HttpFront, HttpFrontOptions } from "./http-front.ts";
import { authorityOf } from "./listening.ts";
import { createLocalStackPeek } from "./localstack-peek.ts";
import type { LogSink } from "./log-sink.ts";
import { filterLog, silentLog } from "./log-sink.ts";
import { NodeHttpFront } from "./node-http-front.ts";
import { ServerNotificationSigner } from "./notification-signer.ts";
import { openOutbound, type ServerOutbound } from "./outbound/outbound.ts";
import { PageAccess } from "./page-access.ts";
import { QueueList } from "./queue-list.ts";
import { removeReadyFile, writeReadyFile } from "./ready-file.ts";
import { Router } from "./router.ts";
import { SocketFront } from "./socket-front/socket-front.ts";
import type { OpenStorage } from "./storage.ts";
import { openStorage } from "./storage.ts";
import { readTlsIdentity } from "./tls-identity.ts";

/** How long a stop waits for clients that do not take their answers. */
const DRAIN_MS = 5_000;
/** What functions get to end; waiting receives are answered after it, and before the front gives up on anybody. */
const FUNCTIONS_DRAIN_MS = 4_000;

/** What a test may replace; the rest of the world is real. */
export interface ServerParts {
  clock?: Clock;
  ids?: IdSource;
  /** Lets POST /_millpond/clock/advance move the time of `clock`. */
  movableClock?: MovableClock;
  /** How long a client may take over a request, so that a test of slow clients need not wait. */
  frontTimeouts?: FrontTimeouts;
  /** Told about what an operator should see; silent when absent. */
  log?: LogSink;
}

export interface ServerOptions extends Partial<Settings>, ServerParts {}

export type FunctionsInView = Pick<Functions["service"], "list" | "logs">;

export interface RunningServer {
  /** `http://127.0.0.1:4566`: what clients connect to. */
  readonly endpoint: string;
  readonly host: string;
  /** The real one, also when 0 was asked for. */
  readonly port: number;
  readonly settings: Settings;
  /** What the storage had to say at start, such as a torn record that was cut off. */
  readonly notes: readonly string[];
  /** The host behind the server: to execute commands without HTTP, and to look into queues. */
  readonly queues: Host;
  /** The functions that there are, what they count, and what they print. */
  readonly functions: FunctionsInView;
  /** What event source mappings do and have met. */
  readonly mappings: MappingReports;
  status(): HostStatus;
  /** Drains and closes everything; the same promise when called again. */
  stop(): Promise<void>;
}

/** For embedding. Rejects with a Fault; its message says what is wrong and what to do. */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { clock, ids, movableClock, frontTimeouts, log, ...given } = options;
  const { settings } = resolveSettings({ options: given });
  return startResolved(settings, options);
}

/** For callers that resolved the settings themselves, as the command line does. */
export async function startResolved(settings: Settings, parts: ServerParts = {}): Promise<RunningServer> {
  const log = filterLog(parts.log ?? silentLog, settings.logLevel);
  if (settings.readyFile !== undefined) removeReadyFile(settings.readyFile);
  const storage = await openStorage(settings);
  const address: ServerAddress = { endpoint: undefined };
  let signer: ServerNotificationSigner | undefined;
  let host: Host | undefined;
  let outbound: ServerOutbound | undefined;
  try {
    outbound = openOutbound(settings);
    // Before anybody receives what could not be signed.
    signer = await openSigner(settings, storage, address);
    for (const note of storage.notes) log("warn", note);
    host = await startHost({
      openStorage: storage.openShard,
      shardCount: storage.shardCount,
      clock: parts.clock ?? systemClock,
      ids: parts.ids ?? { uuid: randomUUID },
      awsDelays: settings.awsDelays,
      bodyCacheBytesMax: settings.bodyCacheBytesMax,
      accessMode: settings.queuePolicies,
      notifications: { baseUrl: () => baseUrl(settings, address), ...(signer === undefined ? {} : { signer }) },
      outbound,
      log,
    });
    return await serve(settings, parts, { storage, host, signer, outbound, address, log });
  } catch (error) {
    await host?.stop().catch(() => {});
    outbound?.close();
    await storage.close();
    throw error;
  }
}

/** Known once the server listens, since the system may have chosen the port. */
interface ServerAddress {
  endpoint: string | undefined;
}

interface Insides {
  storage: OpenStorage;
  host: Host;
  signer: ServerNotificationSigner | undefined;
  outbound: ServerOutbound;
  address: ServerAddress;
  log: LogSink;
}

async function serve(settings: Settings, parts: ServerParts, insides: Insides): Promise<RunningServer> {
  const { storage, host, signer, outbound, address, log } = insides;
  const wireSettings: WireSettings = { ...wireSettingsOf(settings), uuid: randomUUID };
  const startedAtMs = performance.now();
  let stopping: Promise<void> | undefined;
  const queues = new QueueList(host);
  const functions = openServerFunctions(settings, parts, insides);
  const admin = new AdminApi({
    host,
    settings,
    queues,
    peek: createLocalStackPeek(host, wireSettings),
    functions: functions.service,
    mappings: functions.mappings,
    frontPids: () => pool?.pids ?? [],
    uptimeMs: () => performance.now() - startedAtMs,
    isDraining: () => stopping !== undefined,
    ...(parts.movableClock === undefined ? {} : { movableClock: parts.movableClock }),
  });
  const { requestBytesMax } = settings;
  const router = new Router({
    host,
    admin,
    wireSettings,
    pages: new PageAccess(settings.corsOrigins),
    requestBytesMax,
    log,
    ...(signer === undefined ? {} : { signer }),
  });
  const handler: FrontHandler = (request, caller) => router.handle(request, caller);
  const refuseTooLarge = (request: FrontRequest) => router.refuseTooLarge(request);
  const tls = readTlsIdentity(settings);
  const frontOptions = {
    requestBytesMax,
    longBodyBytesMax,
    handler,
    refuseTooLarge,
    ...(tls === undefined ? {} : { tls }),
  };
  const pool = settings.workers === 0 ? undefined : openPool(settings, parts, insides, frontOptions);
  const front = pool ?? openFront(settings.httpFront, frontOptions, parts.frontTimeouts);
  const { port } = await front.listen(settings.host, settings.port);
  const endpoint = endpointOf(settings, port);
  address.endpoint = endpoint;
  functions.start();
  host.startDeliveries();

  async function stop(): Promise<void> {
    log("info", "Stopping: no new connections, waiting receives are answered.");
    const closed = front.close(DRAIN_MS);
    await functions.stop(FUNCTIONS_DRAIN_MS);
    await host.stop();
    outbound.close();
    await closed;
    await storage.close();
    if (settings.readyFile !== undefined) removeReadyFile(settings.readyFile);
    log("info", "Stopped.");
  }
  const running: RunningServer = {
    endpoint,
    host: settings.host,
    port,
    settings,
    notes: storage.notes,
    queues: host,
    functions: functions.service,
    mappings: functions.mappings,
    status: () => host.status(),
    stop: () => (stopping ??= stop()),
  };

  try {
    storage.describe(endpoint);
    if (settings.readyFile !== undefined) writeReadyFile(settings.readyFile, { endpoint, pid: process.pid });
  } catch (error) {
    await front.close(0);
    await functions.stop(0);
    throw error;
  }
  return running;
}

async function openSigner(
  settings: Settings,
  { folder }: OpenStorage,
  address: ServerAddress,
): Promise<ServerNotificationSigner | undefined> {
  if (!settings.snsSigning) return undefined;
  return ServerNotificationSigner.open({ folder, baseUrl: () => baseUrl(settings, address) });
}

function openServerFunctions(
  settings: Settings,
  parts: ServerParts,
  { storage, host, address, log }: Insides,
): Functions {
  const { PATH = "", HOME = "" } = processEnvironment();
  return openFunctions({
    host,
    clock: parts.clock ?? systemClock,
    ids: parts.ids ?? { uuid: randomUUID },
    log,
    ...(storage.folder === undefined ? {} : { folder: join(storage.folder, FUNCTIONS_FOLDER) }),
    endpoint: () => address.endpoint ?? endpointOf(settings, settings.port),
    machineEnvironment: { PATH, HOME },
    concurrencyMax: settings.functionConcurrencyMax,
  });
}

/** Where notifications send their readers. Asked once the server listens: before that nothing is delivered. */
function baseUrl(settings: Settings, { endpoint }: ServerAddress): string {
  return settings.publicUrl?.replace(/\/$/, "") ?? endpoint ?? endpointOf(settings, settings.port);
}

function endpointOf(settings: Settings, port: number): string {
  const scheme = settings.tlsCert === undefined ? "http" : "https";
  return `${scheme}://${authorityOf(reachableHost(settings.host), port)}`;
}

function openFront(
  kind: Settings["httpFront"],
  options: HttpFrontOptions,
  timeouts: FrontTimeouts | undefined,
): HttpFront {
  return kind === "node" ? new NodeHttpFront(options, timeouts) : new SocketFront(options, timeouts);
}

/** The same front in processes of its own, with `handler` here for what needs more than the host. */
function openPool(
  settings: Settings,
  { frontTimeouts = TIMEOUTS }: ServerParts,
  { host, log }: Insides,
  { handler, requestBytesMax, tls }: HttpFrontOptions,
): FrontPool {
  return new FrontPool({
    processes: settings.workers,
    start: {
      httpFront: settings.httpFront,
      corsOrigins: settings.corsOrigins,
      requestBytesMax,
      wireSettings: wireSettingsOf(settings),
      timeouts: frontTimeouts,
      ...(tls === undefined ? {} : { tls }),
    },
    doers: { execute: (command, options) => host.execute(command, options), handle: handler },
    log,
  });
}

function wireSettingsOf({ trustForwarded, region, publicUrl }: Settings): Omit<WireSettings, "uuid"> {
  return { trustForwarded, defaultRegion: region, ...(publicUrl === undefined ? {} : { publicUrl }) };
}

/** "All addresses" is not one that a client can connect to. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
