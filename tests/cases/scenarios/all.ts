// Every case that SDKs can play; a new file is a new line here.

import "./batch-cases.ts";
import "./fifo-cases.ts";
import "./message-cases.ts";
import "./queue-cases.ts";
