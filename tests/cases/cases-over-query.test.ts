// The cases over Query, with four shards.

import "./scenarios/all.ts";
import { runScenarios } from "../conformance/world.ts";

runScenarios("query", 4);
