// The admin API under /_millpond/, and the paths of LocalStack and moto that existing test set-ups call. It looks
// without consuming; the few calls that change something are refused to foreign web pages, and reset exists only
// when the operator allowed it. Answers are JSON; a refusal is {"error", "message"}.

import type { Settings } from "../config/index.ts";
import { DURATION_ALLOWED, parseDurationMs, VERSION } from "../config/index.ts";
import type { FunctionKey, QueueKey } from "../engine/command.ts";
import type { FailureReason, FunctionService, MappingReports } from "../functions/index.ts";
import type { Host, HostStatus, InspectedMessage } from "../host/host.ts";
import { functionArn } from "../host/index.ts";
import { mayWriteAdmin } from "./browser-safety.ts";
import type { FrontRequest, FrontResponse } from "./http-front.ts";
import { json, refused } from "./json-answer.ts";
import type { LocalStackPeek } from "./localstack-peek.ts";
import { presentFunction } from "./present-function.ts";
import { type PresentedMessage, presentMessage } from "./present-message.ts";
import type { QueueList } from "./queue-list.ts";

/** Time that the caller moves; only servers started with a virtual clock have one. */
export interface MovableClock {
  nowMs(): number;
  /** Runs what falls due in between, in order, and settles. */
  advance(byMs: number): Promise<void>;
}

export interface AdminParts {
  host: Host;
  settings: Settings;
  queues: QueueList;
  peek: LocalStackPeek;
  functions: Pick<FunctionService, "list" | "archive" | "logs">;
  mappings: MappingReports;
  movableClock?: MovableClock;
  /** Of the processes that take connections; none when this one does. */
  frontPids: () => number[];
  /** Milliseconds of real time since the start. */
  uptimeMs: () => number;
  isDraining: () => boolean;
}

/** A message, and why it failed last where an event source mapping remembers it. */
export interface PeekedMessage extends PresentedMessage {
  lastFailure?: FailureReason;
}

const PEEK_LIMIT = 100;
const PEEK_LIMIT_MAX = 10_000;

interface AdminCall {
  request: FrontRequest;
  /** Values of the route's `{placeholders}`, decoded. */
  place: Record<string, string>;
  query: URLSearchParams;
}

interface Route {
  method: "GET" | "POST";
  parts: string[];
  run: (call: AdminCall) => FrontResponse | Promise<FrontResponse>;
}

export class AdminApi {
  readonly #parts: AdminParts;
  readonly #routes: Route[];

  constructor(parts: AdminParts) {
    this.#parts = parts;
    const { peek } = parts;
    this.#routes = [
      route("GET", "/_millpond/health", () => this.#health()),
      route("GET", "/_millpond/status", () => this.#status()),
      route("GET", "/_millpond/queues", (call) => this.#listQueues(call)),
      route("GET", "/_millpond/queues/{account}/{region}/{name}/messages", (call) => this.#peekMessages(call)),
      route("GET", "/_millpond/topics/{account}/{region}/{name}/subscriptions", (call) => this.#subscriptions(call)),
      route("GET", "/_millpond/functions", () => this.#listFunctions()),
      route("GET", "/_millpond/functions/{account}/{region}/{name}/code", (call) => this.#functionCode(call)),
      route("GET", "/_millpond/functions/{account}/{region}/{name}/logs", (call) => this.#functionLogs(call)),
      route("GET", "/_millpond/mappings", () => json(200, { mappings: this.#parts.mappings.reports() })),
      route("GET", "/_millpond/mappings/{uuid}", (call) => this.#showMapping(call)),
      route("GET", "/_millpond/queues/{account}/{region}/{name}/load", (call) => this.#load(call)),
      route("POST", "/_millpond/reset", () => this.#reset()),
      route("GET", "/_millpond/clock", () => this.#readClock()),
      route("POST", "/_millpond/clock/advance", (call) => this.#advanceClock(call)),
      route("GET", "/health", () => this.#health()),
      route("GET", "/_localstack/health", () => this.#localStackHealth()),
      route("POST", "/_localstack/state/reset", () => this.#reset()),
      route("POST", "/moto-api/reset", () => this.#reset()),
      route("GET", "/_aws/sqs/messages", ({ request }) => peek.byQueueUrl(request)),
      route("POST", "/_aws/sqs/messages", ({ request }) => peek.byQueueUrl(request)),
      route("GET", "/_aws/sqs/messages/{region}/{account}/{name}", ({ request, place }) =>
        peek.byKey(request, {
          account: place.account as string,
          region: place.region as string,
          name: place.name as string,
        }),
      ),
    ];
  }

  /** For targets that `isAdminPath` says yes to. */
  handle(request: FrontRequest): Promise<FrontResponse> | FrontResponse {
    const mark = request.target.indexOf("?");
    const path = mark === -1 ? request.target : request.target.slice(0, mark);
    const parts = path.replace(/\/$/, "").split("/");
    const method = request.method === "HEAD" ? "GET" : request.method;
    let isKnownPath = false;
    for (const each of this.#routes) {
      const place = match(each.parts, parts);
      if (place === undefined) continue;
      isKnownPath = true;
      if (each.method !== method) continue;
      if (method === "POST" && !mayWriteAdmin(request)) {
        return refused(403, "CrossOrigin", "The admin API takes no writes from web pages of another origin.");
      }
      return each.run({
        request,
        place,
        query: new URLSearchParams(mark === -1 ? "" : request.target.slice(mark + 1)),
      });
    }
    if (isKnownPath) return refused(405, "MethodNotAllowed", `${request.method} is not what ${path} takes.`);
    return refused(404, "NotFound", `There is nothing at ${path}. docs/admin-api.md lists what there is.`);
  }

  #health(): FrontResponse {
    const { settings, uptimeMs } = this.#parts;
    const status = this.#serving();
    return json(status === "serving" ? 200 : 503, {
      status,
      version: VERSION,
      uptimeSeconds: Math.floor(uptimeMs() / 1000),
      durability: settings.memory ? "memory" : settings.durability,
      shards: settings.shards,
    });
  }

  #status(): FrontResponse {
    const { host, settings, uptimeMs, movableClock, frontPids } = this.#parts;
    return json(200, {
      status: this.#serving(),
      version: VERSION,
      pid: process.pid,
      frontPids: frontPids(),
      uptimeSeconds: Math.floor(uptimeMs() / 1000),
      durability: settings.memory ? "memory" : settings.durability,
      data: settings.memory ? null : settings.data,
      region: settings.region,
      clock: movableClock === undefined ? "real" : "virtual",
      memoryBytes: process.memoryUsage().rss,
      ...host.status(),
    });
  }

  async #listQueues({ query }: AdminCall): Promise<FrontResponse> {
    const queues = await this.#parts.queues.list({
      account: query.get("account") ?? undefined,
      region: query.get("region") ?? undefined,
      prefix: query.get("prefix") ?? undefined,
    });
    return json(200, { queues });
  }

  async #peekMessages({ place, query }: AdminCall): Promise<FrontResponse> {
    const limit = Number(query.get("limit") ?? PEEK_LIMIT);
    if (!Number.isInteger(limit) || limit < 1 || limit > PEEK_LIMIT_MAX) {
      return refused(400, "InvalidLimit", `limit takes a whole number from 1 to ${PEEK_LIMIT_MAX}.`);
    }
    const queue = keyIn(place);
    const messages = await this.#parts.host.inspect(queue, limit);
    if (messages === undefined) return noQueue(queue);
    return json(200, { queue, messages: messages.map((message) => this.#present(message)) });
  }

  /** With the reason that an event source mapping knows for its being here. */
  #present(message: InspectedMessage): PeekedMessage {
    const lastFailure = this.#parts.mappings.reasonOf(message.messageId);
    return { ...presentMessage(message), ...(lastFailure === undefined ? {} : { lastFailure }) };
  }

  #showMapping({ place }: AdminCall): FrontResponse {
    const report = this.#parts.mappings.report(place.uuid as string);
    if (report !== undefined) return json(200, report);
    return refused(404, "MappingDoesNotExist", `There is no event source mapping with the UUID ${place.uuid}.`);
  }

  #subscriptions({ place }: AdminCall): FrontResponse {
    const topic = { account: place.account as string, region: place.region as string, name: place.name as string };
    const subscriptions = this.#parts.host.subscriptions(topic);
    if (subscriptions !== undefined) return json(200, { topic, subscriptions });
    const where = `account ${topic.account}, region ${topic.region}`;
    return refused(404, "TopicDoesNotExist", `There is no topic "${topic.name}" in ${where}.`);
  }

  async #listFunctions(): Promise<FrontResponse> {
    const listed = await this.#parts.functions.list();
    const functions = listed.map(({ record, counts }) => presentFunction(record, counts));
    return json(200, { functions });
  }

  /** The archive as it came, of $LATEST or the version that `qualifier` names. */
  async #functionCode({ place, query }: AdminCall): Promise<FrontResponse> {
    const arn = functionArn(keyIn(place));
    const archive = await this.#parts.functions.archive(arn, query.get("qualifier") ?? undefined);
    if (archive === undefined) return refused(404, "CodeDoesNotExist", `There is no uploaded code of ${arn}.`);
    return { status: 200, headers: { "content-type": "application/zip" }, body: archive };
  }

  /** What the function has printed lately; `after` is the `next` of the answer before. */
  #functionLogs({ place, query }: AdminCall): FrontResponse {
    const arn = functionArn(keyIn(place));
    const after = Number(query.get("after") ?? 0);
    if (!Number.isInteger(after) || after < 0)
      return refused(400, "InvalidAfter", "after takes a whole number from 0.");
    const logs = this.#parts.functions.logs(arn, after);
    if (logs === undefined) return refused(404, "FunctionDoesNotExist", `There is no function ${arn}.`);
    return json(200, logs);
  }

  #load({ place }: AdminCall): FrontResponse {
    const queue = keyIn(place);
    const load = this.#parts.host.load(queue);
    if (load === undefined) return noQueue(queue);
    return json(200, { queue, backlog: load.visibleCount + load.inFlightCount, ...load });
  }

  async #reset(): Promise<FrontResponse> {
    const { settings, host } = this.#parts;
    if (!settings.allowReset) {
      return refused(
        403,
        "ResetNotAllowed",
        "This server was not started with --allow-reset, so its state cannot be wiped.",
      );
    }
    await host.reset();
    return json(200, { status: "ok" });
  }

  #readClock(): FrontResponse {
    const { movableClock } = this.#parts;
    return json(200, {
      clock: movableClock === undefined ? "real" : "virtual",
      nowMs: movableClock?.nowMs() ?? Date.now(),
    });
  }

  async #advanceClock({ request }: AdminCall): Promise<FrontResponse> {
    const { movableClock } = this.#parts;
    if (movableClock === undefined) {
      return refused(409, "RealClock", "This server runs on real time; start it with a virtual clock to move it.");
    }
    const byMs = readAdvance(request.body);
    if (byMs === undefined) {
      return refused(400, "InvalidDuration", `The body must be {"by": …} with ${DURATION_ALLOWED}.`);
    }
    await movableClock.advance(byMs);
    return json(200, { nowMs: movableClock.nowMs() });
  }

  /** What LocalStack's wait scripts look for: services that are "running" (or "available"). */
  #localStackHealth(): FrontResponse {
    const isServing = this.#serving() === "serving";
    const state = isServing ? "running" : "starting";
    return json(isServing ? 200 : 503, {
      services: { sqs: state, sns: state, lambda: state, sts: state },
      edition: "community",
      version: VERSION,
    });
  }

  #serving(): "serving" | "recovering" | "draining" {
    if (this.#parts.isDraining()) return "draining";
    const status: HostStatus = this.#parts.host.status();
    return status.shards.every((shard) => shard.state === "serving") ? "serving" : "recovering";
  }
}

function noQueue({ name, account, region }: QueueKey): FrontResponse {
  return refused(404, "QueueDoesNotExist", `There is no queue "${name}" in account ${account}, region ${region}.`);
}

function route(method: Route["method"], path: string, run: Route["run"]): Route {
  return { method, parts: path.split("/"), run };
}

function match(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const place: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] as string;
    if (expected.startsWith("{")) place[expected.slice(1, -1)] = decode(part);
    else if (expected !== part) return undefined;
  }
  return place;
}

function keyIn({ account = "", region = "", name = "" }: Record<string, string>): FunctionKey {
  return { account, region, name };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function readAdvance(body: Uint8Array): number | undefined {
  try {
    const { by } = JSON.parse(Buffer.from(body).toString("utf8")) as { by?: unknown };
    return typeof by === "string" || typeof by === "number" ? parseDurationMs(String(by)) : undefined;
  } catch {
    return undefined;
  }
}
