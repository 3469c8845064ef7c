// Every scenario over JSON, with one shard.

import "./scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 1);
