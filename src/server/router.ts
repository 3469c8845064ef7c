// Which part of the server answers a request: the admin API by its paths, the home page for a person's browser, and
// the wire with the host behind it for everything that looks like AWS. Nothing that goes wrong leaves here as an
// exception: faults become a retryable 503, surprises a 500, both in the caller's protocol and in the log.

import { isFault } from "../base/fault.ts";
import type { RefusalCode } from "../engine/refusal.ts";
import { refusal } from "../engine/refusal.ts";
import type { Host } from "../host/host.ts";
import type { Parsed, WireSettings } from "../wire/index.ts";
import { faultResponse, isAwsRequest, longBodyBytesMax, readRequest, refusalResponse } from "../wire/index.ts";
import type { AdminApi } from "./admin-api.ts";
import { isAdminPath } from "./admin-path.ts";
import { isForgedAwsRequest, isForgedFunctionRequest } from "./browser-safety.ts";
import { homePage, isBrowserVisit } from "./home-page.ts";
import type { Caller, FrontRequest, FrontResponse } from "./http-front.ts";
import { refused } from "./json-answer.ts";
import type { LogSink } from "./log-sink.ts";
import { isCertificatePath } from "./notification-signer.ts";
import type { PageAccess } from "./page-access.ts";
import { isPreflight, preflightAnswer, shownToPage } from "./page-access.ts";

/** All that the router asks of those behind it, who may be in another process. */
export interface RouterParts {
  host: Pick<Host, "execute">;
  admin: Pick<AdminApi, "handle">;
  wireSettings: WireSettings;
  pages: PageAccess;
  requestBytesMax: number;
  /** Absent: notifications are not signed. */
  signer?: CertificateShelf;
  log: LogSink;
}

/** Answers requests for the certificate that notifications are checked with; undefined when there is none of that name. */
export interface CertificateShelf {
  serve(request: FrontRequest): FrontResponse | undefined | Promise<FrontResponse>;
}

export class Router {
  readonly #parts: RouterParts;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  handle(request: FrontRequest, caller: Caller): FrontResponse | Promise<FrontResponse> {
    const isPageLetIn = request.headers.origin !== undefined && this.#parts.pages.mayCall(request);
    if (!isPageLetIn) return this.#route(request, caller, isPageLetIn);
    return isPreflight(request) ? preflightAnswer(request) : this.#answerPage(request, caller);
  }

  refuseTooLarge(request: FrontRequest): FrontResponse {
    const refusal = this.#refusalOfLength(request);
    return this.#parts.pages.mayCall(request) ? shownToPage(request, refusal) : refusal;
  }

  async #answerPage(request: FrontRequest, caller: Caller): Promise<FrontResponse> {
    return shownToPage(request, await this.#route(request, caller, true));
  }

  #route(request: FrontRequest, caller: Caller, isPageLetIn: boolean): FrontResponse | Promise<FrontResponse> {
    // Nearly everything goes there.
    const isRoot = request.target === "/";
    if (!isRoot && isAdminPath(request.target)) return this.#administer(request);
    if (!isRoot && isCertificatePath(request.target)) return this.#parts.signer?.serve(request) ?? nothingHere();
    if (isBrowserVisit(request)) return homePage(request, this.#parts.wireSettings.defaultRegion);
    // AWS answers everything at "/", if only with an error that clients know.
    if (!isRoot && !request.target.startsWith("/?") && !isAwsRequest(request)) {
      return nothingHere();
    }
    if (!isPageLetIn && (isForgedAwsRequest(request) || isForgedFunctionRequest(request))) {
      const text =
        "Web pages of another origin send unsigned requests only if the server's setting cors-origins names them, " +
        "and none about functions.";
      return { ...this.#refuse(request, "InvalidParameterValue", text), status: 403 };
    }
    return this.#execute(request, caller);
  }

  #refusalOfLength(request: FrontRequest): FrontResponse {
    const text = `The request body is longer than ${longBodyBytesMax(request) ?? this.#parts.requestBytesMax} bytes.`;
    if (isAdminPath(request.target)) return refused(413, "RequestTooLarge", text);
    return this.#refuse(request, "RequestTooLarge", text);
  }

  async #execute(request: FrontRequest, caller: Caller): Promise<FrontResponse> {
    const { host, wireSettings } = this.#parts;
    let parsed: Parsed | undefined;
    try {
      parsed = readRequest(request, wireSettings);
      if (parsed.is === "response") return parsed.response;
      const { command } = parsed;
      // Only a receive can wait. The caller makes its signal when that is read, which costs more than many a request.
      const options = command.kind === "receiveMessages" ? caller : undefined;
      return parsed.respond(await host.execute(command, options));
    } catch (error) {
      return this.#failure(request, parsed, error);
    }
  }

  #failure(request: FrontRequest, parsed: Parsed | undefined, error: unknown): FrontResponse {
    const { log, wireSettings } = this.#parts;
    const command = parsed?.is === "command" ? parsed : undefined;
    const requestId = command?.requestId ?? wireSettings.uuid();
    const about = { requestId, operation: command?.operation ?? "unknown" };
    if (isFault(error)) {
      log("warn", `A request could not be executed: ${error.message}`, { ...about, code: error.code });
      return faultResponse(request, requestId, error.message);
    }
    const stack = error instanceof Error ? error.stack : String(error);
    log("error", "A request failed unexpectedly. This is a bug in Millpond; please report it.", { ...about, stack });
    const text = "The request processing has failed because of an unknown error.";
    return refusalResponse(request, requestId, refusal("InternalFailure", text));
  }

  #refuse(request: FrontRequest, code: RefusalCode, text: string): FrontResponse {
    return refusalResponse(request, this.#parts.wireSettings.uuid(), refusal(code, text));
  }

  async #administer(request: FrontRequest): Promise<FrontResponse> {
    const { admin, log, wireSettings } = this.#parts;
    try {
      return await admin.handle(request);
    } catch (error) {
      if (isFault(error)) return refused(503, error.code, error.message);
      const requestId = wireSettings.uuid();
      const stack = error instanceof Error ? error.stack : String(error);
      log("error", "An admin request failed unexpectedly. This is a bug in Millpond; please report it.", {
        requestId,
        stack,
      });
      return refused(500, "InternalFailure", `Something went wrong; the server's log has it under ${requestId}.`);
    }
  }
}

function nothingHere(): FrontResponse {
  return refused(404, "NotFound", "There is nothing here. SQS clients talk to / and to queue URLs.");
}
