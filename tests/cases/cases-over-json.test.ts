// The cases over JSON, with four shards.

import "./scenarios/all.ts";
import { runScenarios } from "../conformance/world.ts";

runScenarios("json", 4);
