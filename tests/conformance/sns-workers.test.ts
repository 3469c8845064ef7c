// Every SNS scenario through front processes.

import "./sns-scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 1, { workers: 2 });
