// What has gone through a partition, counted in memory since its shard was read: no fact, in no snapshot, and gone with
// the process. A replay counts what it replays, so two readings may be compared only within one epoch of the shard.

export interface Traffic {
  /** Messages that came in, whoever brought them: sends, published copies, dead letters, redrives. */
  arrivedCount: number;
  /** Receives, repeated ones too. */
  receivedCount: number;
  /** Messages that consumers deleted. */
  deletedCount: number;
  /** Milliseconds from the last receive to the delete, summed over what was deleted while in flight. */
  heldMs: number;
}

export function newTraffic(): Traffic {
  return { arrivedCount: 0, receivedCount: 0, deletedCount: 0, heldMs: 0 };
}
