// Every group of scenarios; a new file is a new line here.

import "./aws-delays.ts";
import "./batches.ts";
import "./create-queue.ts";
import "./dead-letter.ts";
import "./fair-queues.ts";
import "./fifo-deduplication.ts";
import "./fifo-order.ts";
import "./fifo-send.ts";
import "./in-flight-limit.ts";
import "./lists.ts";
import "./long-poll.ts";
import "./message-attributes.ts";
import "./messages.ts";
import "./move-tasks.ts";
import "./permissions.ts";
import "./purge-and-delete.ts";
import "./queue-attributes.ts";
import "./receipt-handles.ts";
import "./receive-attempts.ts";
import "./receive.ts";
import "./redrive-policy.ts";
import "./system-attributes.ts";
import "./tags.ts";
import "./visibility.ts";
