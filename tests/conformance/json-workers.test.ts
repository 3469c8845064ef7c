// Every scenario over JSON, with four shards.

import "./scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 4);
