// millpond queue purge: deletes all messages of a queue and keeps the queue.

import type { Command } from "./command.ts";
import { operandsOf } from "./operands.ts";
import { CLIENT_FLAGS, QueueClient } from "./queue-client.ts";

export const queuePurge: Command = {
  examples: ["queue purge orders"],
  flags: CLIENT_FLAGS,
  async run(call) {
    const [name] = operandsOf(call, ["NAME"], "queue purge NAME");
    const client = new QueueClient(call);
    await client.call("PurgeQueue", { QueueUrl: client.urlOf(name) });
    call.output.result({ purged: name }, `Purged ${name}.`);
  },
};
