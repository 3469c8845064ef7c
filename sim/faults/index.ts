// The planted faults: what a server could get wrong without anybody noticing for a long time.

import { answerBeforeTheSync } from "./answer-before-the-sync.ts";
import { changeBeforeTheCopy } from "./change-before-the-copy.ts";
import { deleteBeforeTheAnswer } from "./delete-before-the-answer.ts";
import { dropTheDeduplicationTable } from "./drop-the-deduplication-table.ts";
import { forgetAReceiveCount } from "./forget-a-receive-count.ts";
import { forgetWhatATopicHasSeen } from "./forget-what-a-topic-has-seen.ts";
import { letACopyOvertake } from "./let-a-copy-overtake.ts";
import { loseACopyBetweenShards } from "./lose-a-copy-between-shards.ts";
import { loseARecordInCleaning } from "./lose-a-record-in-cleaning.ts";
import type { PlantedFault } from "./planted-fault.ts";
import { skipASync } from "./skip-a-sync.ts";
import { unlockAGroupTooEarly } from "./unlock-a-group-too-early.ts";

export type { PlantedFault } from "./planted-fault.ts";

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  skipASync,
  answerBeforeTheSync,
  dropTheDeduplicationTable,
  unlockAGroupTooEarly,
  loseARecordInCleaning,
  forgetAReceiveCount,
  changeBeforeTheCopy,
  loseACopyBetweenShards,
  letACopyOvertake,
  forgetWhatATopicHasSeen,
  deleteBeforeTheAnswer,
];

export function plantedFault(name: string): PlantedFault {
  const fault = PLANTED_FAULTS.find((candidate) => candidate.name === name);
  if (fault !== undefined) return fault;
  throw new RangeError(`There is no fault ${name}; there are ${PLANTED_FAULTS.map((known) => known.name).join(", ")}.`);
}
