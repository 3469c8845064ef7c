// Every scenario over Query, with four shards.

import "./scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("query", 4);
