// Every scenario over Query, with one shard.

import "./scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("query", 1);
