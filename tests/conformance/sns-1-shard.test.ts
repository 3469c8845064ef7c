// Every SNS scenario with one shard.

import "./sns-scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 1);
