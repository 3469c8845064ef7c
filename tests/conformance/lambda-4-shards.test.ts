// Every Lambda scenario with four shards.

import "./lambda-scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 4);
