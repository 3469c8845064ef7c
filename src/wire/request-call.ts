// A request as its operation sees it (protocol/call.ts). A class, since it is made for every request: one object, and
// what few operations ask for is worked out when they do.

import type { Scope } from "../engine/command.ts";
import type { WireRequest, WireSettings } from "./exchange.ts";
import type { Call } from "./protocol/call.ts";
import { regionOfHost } from "./protocol/host-name.ts";
import type { RequestTarget } from "./protocol/request-target.ts";
import { publicBase } from "./protocol/request-target.ts";
import type { Caller } from "./protocol/sigv4.ts";
import { accountOf } from "./protocol/sigv4.ts";

export class RequestCall implements Call {
  readonly account: string;
  readonly region: string;
  readonly regionIsSigned: boolean;
  readonly accessKey: string | undefined;
  readonly pathParts: readonly string[];
  readonly traceHeader: string | undefined;
  readonly isPlain: boolean;
  readonly #request: WireRequest;
  readonly #settings: WireSettings;

  constructor(request: WireRequest, settings: WireSettings, target: RequestTarget, caller: Caller, isPlain: boolean) {
    const { headers } = request;
    this.account = accountOf(caller);
    this.region = caller.region ?? regionOfHost(headers["host"] ?? "") ?? settings.defaultRegion;
    this.regionIsSigned = caller.region !== undefined;
    this.accessKey = caller.accessKey;
    this.pathParts = target.pathParts;
    this.traceHeader = headers["x-amzn-trace-id"] || undefined;
    this.isPlain = isPlain;
    this.#request = request;
    this.#settings = settings;
  }

  get scope(): Scope {
    return { account: this.account, region: this.region };
  }

  urlBase(): string {
    return publicBase(this.#request, this.#settings);
  }
}
