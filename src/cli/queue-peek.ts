// millpond queue peek: every message of a queue, also those in flight or delayed, without touching any.

import { formatDuration } from "../config/index.ts";
import type { PeekedMessage } from "../server/index.ts";
import type { Command } from "./command.ts";
import { numberFlag, operandsOf } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

const LIMIT_DEFAULT = 20;
const REASON_CHARACTERS_MAX = 60;

export const queuePeek: Command = {
  examples: ["queue peek orders", "queue peek orders --limit 1000 --json"],
  flags: {
    limit: { type: "string", placeholder: "N", help: `at most this many, oldest first [${LIMIT_DEFAULT}]` },
    ...CLIENT_FLAGS,
  },
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "queue peek NAME [--limit N]");
    const client = new QueueClient(call);
    const limit = numberFlag(call, "limit") ?? LIMIT_DEFAULT;
    const queue = [client.account, client.region, name].map(encodeURIComponent).join("/");
    const answer = await client.admin<{ messages: PeekedMessage[] }>(
      `/_millpond/queues/${queue}/messages?limit=${limit}`,
    );
    const { messages } = answer;
    if (call.output.isJson) {
      for (const message of messages) call.output.json(message);
      return;
    }
    if (messages.length === 0) return call.output.note(`${name} is empty.`);
    const hasReasons = messages.some((message) => message.lastFailure !== undefined);
    const hasGroups = messages.some((message) => message.groupId !== undefined);
    call.output.table(messages, [
      { title: "STATE", value: stateOf },
      { title: "AGE", value: (message) => formatDuration(Math.max(0, Date.now() - message.sentAtMs)), align: "right" },
      { title: "RECEIVES", value: (message) => String(message.receiveCount), align: "right" },
      ...(hasGroups ? [{ title: "GROUP", value: (message: PeekedMessage) => message.groupId ?? "-" }] : []),
      ...(hasReasons ? [{ title: "FAILED WITH", value: reasonOf }] : []),
      { title: "BODY", value: (message) => message.body, isElastic: true },
    ]);
    if (messages.length === limit) call.output.note(`The first ${limit} are shown; --limit N shows more.`);
  },
};

function stateOf(message: PeekedMessage): string {
  if (message.state === "visible") return "visible";
  const words = message.state === "inFlight" ? "in flight" : "delayed";
  const leftMs = (message.visibleAtMs ?? 0) - Date.now();
  return leftMs > 0 ? `${words} ${formatDuration(leftMs)}` : words;
}

function reasonOf({ lastFailure }: PeekedMessage): string {
  const reason = lastFailure?.reason.split("\n", 1)[0] ?? "-";
  return reason.length <= REASON_CHARACTERS_MAX ? reason : `${reason.slice(0, REASON_CHARACTERS_MAX - 1)}…`;
}
