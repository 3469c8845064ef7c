// The cases of topics, with four shards.

import "./scenarios/sns-cases.ts";
import { runScenarios } from "../conformance/world.ts";

runScenarios("json", 4);
