// The long parts of a snapshot are cut into blocks, which may come in any order: a block that is about to change is
// written before its turn. Only the blocks of what expires keep theirs. Byte tables: docs/log-format.md.

/** Numbers are for ever. */
export const BLOCK = {
  rows: 0,
  readyGroups: 1,
  noisyGroups: 2,
  timers: 3,
  ages: 4,
  groups: 5,
  /** Until layout 3, one id each. */
  deduplicatedId: 6,
  attempts: 7,
  deduplicated: 8,
} as const;

export type BlockKind = (typeof BLOCK)[keyof typeof BLOCK];
