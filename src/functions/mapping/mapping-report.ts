// What a mapping tells of itself to the admin API and the command line.

import type { MappingRecord } from "../../engine/command.ts";
import type { MappingStory } from "./mapping-story.ts";

export interface MappingReport extends MappingStory {
  mapping: MappingRecord;
  /** Batches that may be under way at once, and what the lanes do at the moment. */
  lanes: { target: number; calling: number; waiting: number };
}
