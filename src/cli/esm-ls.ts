// millpond esm ls: the event source mappings of a server, with what each is doing.

import type { MappingReport } from "../server/index.ts";
import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { QueueClient } from "./queue-client.ts";
import { CLIENT_FLAGS } from "./service-client.ts";

export const esmLs: Command = {
  examples: ["esm ls", "esm ls --json"],
  flags: CLIENT_FLAGS,
  async run(call) {
    operandsOf(call, [], "esm ls");
    const { mappings } = await new QueueClient(call).admin<{ mappings: MappingReport[] }>("/_millpond/mappings");
    if (call.output.isJson) return call.output.json({ mappings });
    if (mappings.length === 0) return call.output.note("There are no event source mappings.");
    call.output.table(mappings, [
      { title: "ID", value: ({ mapping }) => mapping.uuid },
      { title: "QUEUE", value: ({ mapping }) => lastPart(mapping.eventSourceArn) },
      { title: "FUNCTION", value: ({ mapping }) => functionName(mapping.functionArn) },
      { title: "STATE", value: ({ mapping }) => mapping.state },
      { title: "BATCHES", value: ({ counts }) => String(counts.batches), align: "right" },
      { title: "DELETED", value: ({ counts }) => String(counts.deleted), align: "right" },
      { title: "FAILED", value: ({ counts }) => String(counts.failed), align: "right" },
      { title: "CALLING", value: ({ lanes }) => `${lanes.calling}/${lanes.target}`, align: "right" },
    ]);
  },
};

export function lastPart(arn: string): string {
  return arn.slice(arn.lastIndexOf(":") + 1);
}

/** With its qualifier. */
export function functionName(arn: string): string {
  return arn.split(":").slice(6).join(":");
}
