// A look behind the wire, for what only an endpoint would be told.

import type { Resources } from "../../src/engine/index.ts";
import type { MillpondHost } from "../../src/host/start-host.ts";
import type { World } from "./world.ts";

export function resourcesOf(world: World): Resources {
  return (world.server.queues as MillpondHost).catalogShard.state.catalog.resources;
}
