// What a mapping tells of itself to the admin API and the command line.

import type { MappingRecord } from "../../engine/command.ts";
import type { FailureReason } from "./failure-reasons.ts";
import type { MappingStory } from "./mapping-story.ts";

export interface MappingReport extends MappingStory {
  mapping: MappingRecord;
  /** Batches that may be under way at once, and what the lanes do at the moment. */
  lanes: { target: number; calling: number; waiting: number };
}

/** For those who look. */
export interface MappingReports {
  report(uuid: string): MappingReport | undefined;
  reports(): MappingReport[];
  /** Why a message failed last, as far as it is remembered. */
  reasonOf(messageId: string): FailureReason | undefined;
}
