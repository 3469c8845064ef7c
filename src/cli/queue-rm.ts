// millpond queue rm: deletes a queue with everything in it.

import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

export const queueRm: Command = {
  examples: ["queue rm orders"],
  flags: CLIENT_FLAGS,
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "queue rm NAME");
    const client = new QueueClient(call);
    await client.call("DeleteQueue", { QueueUrl: client.urlOf(name) });
    call.output.result({ deleted: name }, `Deleted ${name}.`);
  },
};
