// Every Lambda scenario with one shard.

import "./lambda-scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 1);
