// Every Lambda scenario that runs with one shard and with four; a new file is a new line here.

import "./invoke.ts";
