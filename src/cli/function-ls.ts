// millpond function ls: the functions of one account and region, and how often each has run.

import type { PresentedFunction } from "../server/index.ts";
import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { CLIENT_FLAGS, ServiceClient } from "./service-client.ts";

export const functionLs: Command = {
  examples: ["function ls", "function ls --json"],
  flags: CLIENT_FLAGS,
  async run(call) {
    operandsOf(call, [], "function ls");
    const client = new ServiceClient(call, "lambda");
    const { account, region } = client;
    const all = await client.admin<{ functions: PresentedFunction[] }>("/_millpond/functions");
    const functions = all.functions.filter((each) => each.account === account && each.region === region);
    if (call.output.isJson) return call.output.json({ functions });
    if (functions.length === 0) return call.output.note(`No functions in account ${account}, region ${region}.`);
    call.output.table(functions, [
      { title: "FUNCTION", value: ({ name }) => name, isElastic: true },
      { title: "RUNTIME", value: ({ runtime }) => runtime },
      { title: "TIMEOUT", value: ({ timeoutSeconds }) => `${timeoutSeconds}s`, align: "right" },
      { title: "RAN", value: ({ counts }) => String(counts.invocations), align: "right" },
      { title: "ERRORS", value: ({ counts }) => String(counts.errors), align: "right" },
      { title: "THROTTLED", value: ({ counts }) => String(counts.throttles), align: "right" },
      { title: "RUNNING", value: ({ counts }) => String(counts.running), align: "right" },
    ]);
  },
};
