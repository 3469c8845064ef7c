// millpond log dump: what the entries of a log hold, one line per fact. Bodies are shown as text, shortened.

import type { decodeEnvelope } from "../engine/index.ts";
import type { Command } from "./command.ts";
import { DATA_FLAGS, dataFolderOf } from "./log-folder.ts";
import { given, numberFlag, operandsOf } from "./operands.ts";
import type { Output } from "./output.ts";

const BODY_CHARACTERS_MAX = 200;

export const logDump: Command = {
  about: "Reads only, and may run beside the server. With --json one line per entry.",
  examples: ["log dump --from 100", "log dump --shard 0 --json | head"],
  flags: {
    ...DATA_FLAGS,
    shard: { type: "string", placeholder: "N", help: "this shard only" },
    from: { type: "string", placeholder: "SEQ", help: "begin at this entry [the first]" },
    to: { type: "string", placeholder: "SEQ", help: "end at this entry [the last]" },
  },
  async run(call) {
    operandsOf(call, [], "log dump [--data DIR] [--shard N] [--from SEQ] [--to SEQ]");
    const range = given({
      shard: numberFlag(call, "shard"),
      from: numberFlag(call, "from"),
      to: numberFlag(call, "to"),
    });
    const { decodeEnvelope, decodeFacts } = await import("../engine/index.ts");
    const { dumpEntries } = await import("../log/index.ts");
    for await (const entry of dumpEntries(dataFolderOf(call), range)) {
      const { shard, seq, epoch, ownerTimeMs, factCount } = entry;
      const facts = Array.from(decodeFacts(entry.payload), ({ fact }) => presentFact(fact, decodeEnvelope));
      if (call.output.isJson) call.output.json({ shard, seq, epoch, ownerTimeMs, factCount, facts });
      else
        printEntry(
          call.output,
          `shard ${shard}  seq ${seq}  epoch ${epoch}  ${new Date(ownerTimeMs).toISOString()}`,
          facts,
        );
      if (call.interrupted.aborted) return;
    }
  },
};

type PresentedFact = { kind: string } & Record<string, unknown>;

function printEntry(output: Output, title: string, facts: readonly PresentedFact[]): void {
  output.line(output.style("bold", title));
  for (const { kind, ...rest } of facts) {
    const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
    output.line(`  ${kind}  ${fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ")}`);
  }
}

function presentFact(fact: { kind: string }, decode: typeof decodeEnvelope): PresentedFact {
  const { envelope, ...rest } = fact as PresentedFact & { envelope?: Uint8Array };
  if (envelope === undefined) return rest;
  const { content } = decode(envelope);
  const text = Buffer.from(content.body).toString("utf8");
  const body = text.length > BODY_CHARACTERS_MAX ? `${text.slice(0, BODY_CHARACTERS_MAX)}…` : text;
  return { ...rest, envelopeBytes: envelope.length, body };
}
