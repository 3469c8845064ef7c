// Every scenario over JSON, through front processes.

import "./scenarios/all.ts";
import { runScenarios } from "./world.ts";

runScenarios("json", 1, { workers: 2 });
