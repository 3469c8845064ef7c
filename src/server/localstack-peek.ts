// LocalStack's way to look into a queue, /_aws/sqs/messages: an answer shaped like ReceiveMessage's that consumes
// nothing, so that test set-ups written for LocalStack move over unchanged. AWS clients may use it as their endpoint;
// plain GETs get XML, or with "Accept: application/json" the same tree as JSON. As there: all attributes are always
// shown, in-flight and delayed messages only on request, one message is an object and several are a list.

import { accept } from "../base/result.ts";
import type { Command, CommandOf, MessageAttribute, QueueKey, ReceivedMessage } from "../engine/command.ts";
import type { Host, InspectedMessage } from "../host/host.ts";
import type { Parsed, WireSettings } from "../wire/index.ts";
import { readRequest } from "../wire/index.ts";
import type { FrontRequest, FrontResponse } from "./http-front.ts";

/** LocalStack shows all; a queue of millions must not become one answer. */
const MESSAGES_SHOWN_MAX = 10_000;
const RECEIPT_HANDLE = "SQS/BACKDOOR/ACCESS";
const NAMESPACE = "http://queue.amazonaws.com/doc/2012-11-05/";

export interface LocalStackPeek {
  byQueueUrl(request: FrontRequest): Promise<FrontResponse>;
  byKey(request: FrontRequest, queue: QueueKey): Promise<FrontResponse>;
}

interface Wish {
  showsInvisible: boolean;
  showsDelayed: boolean;
}

export function createLocalStackPeek(host: Host, wireSettings: WireSettings): LocalStackPeek {
  async function byKey(request: FrontRequest, queue: QueueKey): Promise<FrontResponse> {
    return answer(request, queue, parametersOf(request));
  }

  async function byQueueUrl(request: FrontRequest): Promise<FrontResponse> {
    if ((request.headers["content-type"] ?? "").startsWith("application/x-amz-json")) return byJsonClient(request);
    const parameters = parametersOf(request);
    const action = parameters.get("Action");
    if (action !== null && action !== "ReceiveMessage") {
      return failure(request, 400, "InvalidRequest", "This endpoint only accepts ReceiveMessage calls");
    }
    const queueUrl = parameters.get("QueueUrl");
    if (queueUrl === null || queueUrl === "") return noSuchQueue(request);
    const queue = hasQueuePath(queueUrl) ? queueOf(request, queueUrl) : undefined;
    if (queue === undefined) {
      return failure(request, 404, "InvalidAddress", `The address ${queueUrl} is not valid for this endpoint.`);
    }
    return answer(request, queue, parameters);
  }

  async function answer(request: FrontRequest, queue: QueueKey, parameters: URLSearchParams): Promise<FrontResponse> {
    const wish = { showsInvisible: isOn(parameters, "ShowInvisible"), showsDelayed: isOn(parameters, "ShowDelayed") };
    const stored = await host.inspect(queue, MESSAGES_SHOWN_MAX);
    if (stored === undefined) return noSuchQueue(request);
    const shown = stored.filter((each) => isShown(each, wish)).map((each) => treeOf(each, wish));
    const result = shown.length === 0 ? null : { Message: single(shown) };
    return rendered(request, 200, { ReceiveMessageResponse: { ReceiveMessageResult: result } });
  }

  /** The client's own protocol answers it; only what is asked for is widened to everything. */
  async function byJsonClient(request: FrontRequest): Promise<FrontResponse> {
    const parsed: Parsed = readRequest({ ...request, target: "/", body: askForAll(request.body) }, wireSettings);
    if (parsed.is === "response") return parsed.response;
    if (!isReceive(parsed.command)) {
      return failure(request, 400, "InvalidRequest", "This endpoint only accepts ReceiveMessage calls");
    }
    const stored = await host.inspect(parsed.command.queue, MESSAGES_SHOWN_MAX);
    if (stored === undefined)
      return parsed.respond(await host.execute({ kind: "getQueue", queue: parsed.command.queue }));
    const wish = { showsInvisible: false, showsDelayed: false };
    return parsed.respond(accept({ messages: stored.filter((each) => isShown(each, wish)).map(asReceived) }));
  }

  /** The wire knows the many spellings of a queue URL and where the caller's region is; let it read them. */
  function queueOf(request: FrontRequest, queueUrl: string): QueueKey | undefined {
    const { authorization, host: authority } = request.headers;
    const target = `/?${new URLSearchParams({ Action: "ReceiveMessage", QueueUrl: queueUrl })}`;
    const headers = { authorization, host: authority };
    const parsed = readRequest({ ...request, method: "GET", target, headers, body: new Uint8Array(0) }, wireSettings);
    return parsed.is === "command" && isReceive(parsed.command) ? parsed.command.queue : undefined;
  }

  return { byQueueUrl, byKey };
}

function isReceive(command: Command): command is CommandOf<"receiveMessages"> {
  return command.kind === "receiveMessages";
}

function parametersOf(request: FrontRequest): URLSearchParams {
  const mark = request.target.indexOf("?");
  const parameters = new URLSearchParams(mark === -1 ? "" : request.target.slice(mark + 1));
  if (
    request.method === "POST" &&
    (request.headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded")
  ) {
    for (const [name, value] of new URLSearchParams(Buffer.from(request.body).toString("utf8")))
      parameters.set(name, value);
  }
  return parameters;
}

/** LocalStack refuses a URL that ends too early; a mere name is fine with us. */
function hasQueuePath(queueUrl: string): boolean {
  return !URL.canParse(queueUrl) || new URL(queueUrl).pathname.split("/").filter((part) => part !== "").length >= 2;
}

function isOn(parameters: URLSearchParams, name: string): boolean {
  return ["true", "1"].includes((parameters.get(name) ?? "").toLowerCase());
}

function isShown(message: InspectedMessage, wish: Wish): boolean {
  if (message.state === "inFlight") return wish.showsInvisible;
  return message.state === "visible" || wish.showsDelayed;
}

function askForAll(body: Uint8Array): Uint8Array {
  try {
    const input = JSON.parse(Buffer.from(body).toString("utf8")) as object;
    return Buffer.from(
      JSON.stringify({ ...input, MessageSystemAttributeNames: ["All"], MessageAttributeNames: ["All"] }),
    );
  } catch {
    return body;
  }
}

function asReceived(message: InspectedMessage): ReceivedMessage {
  const { state: _state, visibleAtMs: _visibleAtMs, firstReceivedAtMs, ...rest } = message;
  return { ...rest, receiptHandle: RECEIPT_HANDLE, firstReceivedAtMs: firstReceivedAtMs ?? 0 };
}

/** An element's children; an array is an element that repeats. */
type Tree = { [name: string]: Tree | readonly Tree[] | string | null };

function treeOf(message: InspectedMessage, wish: Wish): Tree {
  const { content } = message;
  const attributes: [string, string | undefined][] = [
    ["SenderId", message.senderId],
    ["SentTimestamp", String(message.sentAtMs)],
    ["ApproximateReceiveCount", String(message.receiveCount)],
    ["ApproximateFirstReceiveTimestamp", String(message.firstReceivedAtMs ?? 0)],
    ["MessageGroupId", message.groupId],
    ["MessageDeduplicationId", message.deduplicationId],
    ["SequenceNumber", message.sequenceNumber],
    ["DeadLetterQueueSourceArn", message.deadLetterSourceArn],
    ["AWSTraceHeader", content.traceHeader],
    ["IsVisible", wish.showsInvisible ? String(message.state === "visible") : undefined],
    ["IsDelayed", wish.showsDelayed ? String(message.state === "delayed") : undefined],
  ];
  const tree: Tree = {
    MessageId: message.messageId,
    ReceiptHandle: RECEIPT_HANDLE,
    MD5OfBody: Buffer.from(content.bodyMd5).toString("hex"),
    Body: Buffer.from(content.body).toString("utf8"),
    Attribute: attributes.filter(([, value]) => value !== undefined).map(([Name, Value]) => ({ Name, Value }) as Tree),
  };
  if (content.attributes.length > 0) tree["MessageAttribute"] = single(content.attributes.map(attributeTree));
  return tree;
}

function attributeTree({ name, dataType, value }: MessageAttribute): Tree {
  const shown: Tree =
    typeof value === "string" ? { StringValue: value } : { BinaryValue: Buffer.from(value).toString("base64") };
  return { Name: name, Value: { ...shown, DataType: dataType } };
}

/** JSON made from XML cannot tell a list of one from the one; readers of LocalStack's answers expect that. */
function single(trees: Tree[]): Tree | Tree[] {
  return trees.length === 1 ? (trees[0] as Tree) : trees;
}

function noSuchQueue(request: FrontRequest): FrontResponse {
  return failure(request, 400, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.");
}

function failure(request: FrontRequest, status: number, code: string, message: string): FrontResponse {
  return rendered(request, status, { ErrorResponse: { Error: { Type: "Sender", Code: code, Message: message } } });
}

function rendered(request: FrontRequest, status: number, tree: Tree): FrontResponse {
  if ((request.headers.accept ?? "").includes("application/json")) {
    return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(tree) };
  }
  return {
    status,
    headers: { "content-type": "text/xml" },
    body: `<?xml version="1.0"?>\n${xmlOf(tree, ` xmlns="${NAMESPACE}"`)}`,
  };
}

function xmlOf(tree: Tree, rootAttributes = ""): string {
  let xml = "";
  for (const [name, child] of Object.entries(tree)) {
    for (const each of Array.isArray(child) ? (child as Tree[]) : [child as Tree | string | null]) {
      const inner = each === null ? "" : typeof each === "string" ? escapeXml(each) : xmlOf(each);
      xml +=
        inner === "" && each === null ? `<${name}${rootAttributes}/>` : `<${name}${rootAttributes}>${inner}</${name}>`;
    }
  }
  return xml;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
