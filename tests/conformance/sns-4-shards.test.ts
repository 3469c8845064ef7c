// Every SNS scenario with four shards.

import "./sns-scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 4);
