// Every Lambda scenario that runs with one shard and with four; a new file is a new line here.

import "./events.ts";
import "./functions.ts";
import "./invoke.ts";
import "./mappings.ts";
