// An ordered, durable sequence of entries for one shard. It knows nothing of queues: an entry is bytes.
// Memory and segment files implement it today, a replicated log later; all pass the same contract suite
// (tests/contract/log-contract.ts). The owner of a shard relies on exactly what is promised here.

/** An entry's own dense number: the first is 1, the next is one more. 0 means "before the first". */
export type EntrySeq = number;

/** The largest payload of one entry. */
export const PAYLOAD_BYTES_MAX = 8 * 1024 * 1024;

/**
 * - `ok`: the entry, and every entry before it, is durable to the degree that the log was opened with.
 * - `conflict`: somebody else wrote at that position; nothing of ours was kept. `tail` is the log's real last entry.
 * - `unknown`: it may or may not have been kept. Retry the same bytes with the same expected position until resolved.
 *   A local file never says so, but owners must handle it from day one.
 */
export type AppendResult = { is: "ok"; seq: EntrySeq } | { is: "conflict"; tail: EntrySeq } | { is: "unknown" };

/** What the owner of the shard stamps on an entry; the log adds sequence, chain hash, length and CRC. */
export interface EntryStamp {
  /** Grows with each take-over of the shard. */
  epoch: number;
  /** The owner's clock when the batch was sealed, milliseconds. */
  ownerTimeMs: number;
  /** How many facts the payload holds; shown by tools, checked by the reader of facts. */
  factCount: number;
}

export interface Entry extends EntryStamp {
  seq: EntrySeq;
  /** Valid until the consumer asks for the next entry unless it says otherwise; copy what must live longer. */
  payload: Uint8Array;
}

export interface LogRoom {
  /** Bytes that can be appended for certain, without asking the disk for more room. */
  bytesReady: number;
  /** The disk refused to give room for the next segment; cleared when a later attempt succeeds. */
  diskFull: boolean;
}

/** One file of the log, oldest first; what the cleaner chooses from. */
export interface SegmentInfo {
  firstSeq: EntrySeq;
  /** The last entry in it; `firstSeq - 1` while it is empty. */
  lastSeq: EntrySeq;
  /** Bytes of entries in it, headers included. */
  bytes: number;
  /** Only the newest segment is open; sealed ones never change. */
  sealed: boolean;
}

export interface ShardLog {
  /**
   * Appends one entry after `expected`, the seq that the owner believes to be the last. Resolves once durable.
   * May be called again before the first call resolved (pipelining); appends keep call order and a failed one fails
   * all that were issued behind it. The log owns `payload` until the promise settles.
   * Throws a Fault (`DiskFull`, `DiskFailed`) when the world failed: the owner must stop and recover.
   */
  append(payload: Uint8Array, expected: EntrySeq, stamp: EntryStamp): Promise<AppendResult>;

  /**
   * All entries from `from` (inclusive) to the tail as it was at the call, dense and verified (sequence, chain, CRC).
   * Throws a Fault `LogDamaged`, naming file and byte, where an entry that must be there is not readable.
   */
  read(from: EntrySeq): AsyncIterable<Entry>;

  /**
   * One durable entry, verified by CRC and sequence. The payload belongs to the caller.
   * Throws `LogDamaged` when the bytes are not what was written.
   */
  readEntry(seq: EntrySeq): Promise<Entry>;

  /** The last durable entry; 0 when there is none. */
  tail(): EntrySeq;

  /** The first entry still stored; `tail() + 1` when there is none. */
  head(): EntrySeq;

  segments(): SegmentInfo[];

  /**
   * Forgets whole segments whose last entry is at or below `upTo` and for which `mayDelete` (by firstSeq) says yes.
   * A snapshot that covers them must be durable already. Segments need not go in order: a hole in the middle stays
   * readable on both sides, and `read(from)` skips what was trimmed. Recycles files where it can.
   */
  trim(upTo: EntrySeq, mayDelete: (segment: SegmentInfo) => boolean): Promise<void>;

  room(): LogRoom;

  /** Waits for what was appended, syncs, closes files. Later calls reject. */
  close(): Promise<void>;
}

/** A snapshot of the index at `seq`: what to load before reading the log from `seq + 1`. */
export interface SnapshotRef {
  seq: EntrySeq;
  bytes: number;
}

/** Asked for one at a time, each when the one before has been dealt with. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface SnapshotStore {
  /**
   * Durable when it resolves (written aside, synced, renamed). Keeps the newest two. Chunks are the store's, and are
   * taken as slowly as the disk is.
   */
  put(seq: EntrySeq, chunks: Chunks): Promise<SnapshotRef>;
  /** Newest first. */
  list(): Promise<SnapshotRef[]>;
  /** The whole snapshot, checksum verified; throws `LogDamaged` when it is not what was written. */
  get(ref: SnapshotRef): Promise<Uint8Array>;
}

/** What a shard owner needs of storage; one per shard. */
export interface ShardStorage {
  log: ShardLog;
  snapshots: SnapshotStore;
}
