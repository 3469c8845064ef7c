// The cases of topics, with one shard.

import "./scenarios/sns-cases.ts";
import { runScenarios } from "../conformance/world.ts";

runScenarios("json", 1);
