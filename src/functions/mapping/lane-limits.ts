// How many lanes a mapping may have. A lane has one batch at a time: it receives, invokes and settles, so the number of
// lanes is what AWS calls concurrency, and a message that no lane is free for stays in the queue uncounted.

import type { MappingRecord } from "../../engine/command.ts";
import {
  MAPPING_LANES_AT_START,
  MAPPING_LANES_IDLE,
  MAPPING_LANES_MAX,
  MAPPING_LANES_PER_MINUTE,
  PROVISIONED_LANES_MAX,
  PROVISIONED_LANES_PER_MINUTE,
  PROVISIONED_LANES_PER_POLLER,
} from "../../engine/function-limits.ts";

export interface LaneLimits {
  /** As soon as there is something to do. */
  atStart: number;
  /** That wait while nothing has come yet, or for a long time. */
  idle: number;
  /** Errors and throttles shrink no further. */
  least: number;
  most: number;
  /** Growth while there is a backlog. */
  perMinute: number;
}

export function laneLimits({ provisionedPollers, maximumConcurrency }: MappingRecord): LaneLimits {
  if (provisionedPollers !== undefined) {
    const { minimum, maximum } = provisionedPollers;
    const atStart = minimum * PROVISIONED_LANES_PER_POLLER;
    return {
      atStart,
      // A provisioned poller never goes, but ten calls are not waited for in ten long polls.
      idle: minimum,
      least: atStart,
      most: Math.min(maximum * PROVISIONED_LANES_PER_POLLER, PROVISIONED_LANES_MAX),
      perMinute: PROVISIONED_LANES_PER_MINUTE,
    };
  }
  const most = maximumConcurrency ?? MAPPING_LANES_MAX;
  return {
    atStart: Math.min(MAPPING_LANES_AT_START, most),
    idle: Math.min(MAPPING_LANES_IDLE, most),
    least: Math.min(MAPPING_LANES_IDLE, most),
    most,
    perMinute: MAPPING_LANES_PER_MINUTE,
  };
}
