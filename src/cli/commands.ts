// All commands, in the order in which help shows them.

import type { Command } from "./command.ts";
import { dev } from "./dev.ts";
import { esmLs } from "./esm-ls.ts";
import { esmShow } from "./esm-show.ts";
import { functionLogs } from "./function-logs.ts";
import { functionLs } from "./function-ls.ts";
import { logDump } from "./log-dump.ts";
import { logVerify } from "./log-verify.ts";
import { queueCreate } from "./queue-create.ts";
import { queueLs } from "./queue-ls.ts";
import { queuePeek } from "./queue-peek.ts";
import { queuePurge } from "./queue-purge.ts";
import { queueReceive } from "./queue-receive.ts";
import { queueRedrive } from "./queue-redrive.ts";
import { queueRm } from "./queue-rm.ts";
import { queueSend } from "./queue-send.ts";
import { serve } from "./serve.ts";
import { topicCreate } from "./topic-create.ts";
import { topicLs } from "./topic-ls.ts";
import { topicPublish } from "./topic-publish.ts";
import { topicShow } from "./topic-show.ts";
import { topicSubscribe } from "./topic-subscribe.ts";
import { work } from "./work.ts";

export const commands: readonly Command[] = [
  serve,
  dev,
  queueLs,
  queueCreate,
  queueSend,
  queueReceive,
  queuePeek,
  queuePurge,
  queueRm,
  queueRedrive,
  topicLs,
  topicCreate,
  topicSubscribe,
  topicPublish,
  topicShow,
  functionLs,
  functionLogs,
  esmLs,
  esmShow,
  work,
  logVerify,
  logDump,
];
