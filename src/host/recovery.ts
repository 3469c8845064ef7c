// Reads a shard's state back: the newest snapshot that is sound, then every entry after it. What cannot be read or
// understood stops the start with the place and the reason; nothing is guessed and nothing skipped.

import { AssertionFailed } from "../base/assert.ts";
import { Fault, isFault } from "../base/fault.ts";
import { apply, decodeFacts, decodeSnapshot, type EngineSettings, ShardState } from "../engine/index.ts";
import type { Entry, ShardStorage } from "../log/index.ts";
import type { HostOptions } from "./host.ts";

export interface Recovered {
  state: ShardState;
  /** Of the last entry; 0 for a new log. */
  epoch: number;
  snapshotSeq: number;
  replayedBytes: number;
}

export async function recoverShard(
  storage: ShardStorage,
  settings: EngineSettings,
  log: HostOptions["log"],
): Promise<Recovered> {
  const { state, snapshotSeq } = await loadSnapshot(storage, settings, log);
  let epoch = 0;
  let replayedBytes = 0;
  let lastSeq = snapshotSeq;
  for await (const entry of storage.log.read(snapshotSeq + 1)) {
    if (entry.seq !== lastSeq + 1) {
      throw new Fault(
        "LogDamaged",
        `Shard ${settings.shard} lacks the log entries ${lastSeq + 1} to ${entry.seq - 1}. Restore the data folder from a backup.`,
      );
    }
    applyEntry(state, settings, entry);
    epoch = entry.epoch;
    replayedBytes += entry.payload.length;
    lastSeq = entry.seq;
  }
  if (epoch === 0 && storage.log.tail() > 0) epoch = (await storage.log.readEntry(storage.log.tail())).epoch;
  state.readied.clear();
  return { state, epoch, snapshotSeq, replayedBytes };
}

function applyEntry(state: ShardState, settings: EngineSettings, entry: Entry): void {
  let count = 0;
  try {
    for (const { fact, envelopeOffset } of decodeFacts(entry.payload)) {
      const body =
        envelopeOffset < 0
          ? undefined
          : { entrySeq: entry.seq, offset: envelopeOffset, bytes: "envelope" in fact ? fact.envelope.length : 0 };
      apply(state, fact, body);
      count += 1;
    }
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof AssertionFailed)) throw error;
    throw new Fault(
      "LogDamaged",
      `Entry ${entry.seq} of shard ${settings.shard} cannot be applied (fact ${count + 1}: ${error.message}). If a newer Millpond wrote this folder, use that version; else restore a backup.`,
      error,
    );
  }
  if (count !== entry.factCount) {
    throw new Fault(
      "LogDamaged",
      `Entry ${entry.seq} of shard ${settings.shard} holds ${count} facts, not ${entry.factCount}.`,
    );
  }
}

async function loadSnapshot(
  storage: ShardStorage,
  settings: EngineSettings,
  log: HostOptions["log"],
): Promise<{ state: ShardState; snapshotSeq: number }> {
  const refs = await storage.snapshots.list();
  for (const ref of refs) {
    try {
      const bytes = await storage.snapshots.get(ref);
      return { state: decodeSnapshot(bytes, settings), snapshotSeq: ref.seq };
    } catch (error) {
      if (!(isFault(error, "LogDamaged") || error instanceof RangeError)) throw error;
      log("warn", `Snapshot ${ref.seq} of shard ${settings.shard} is damaged; trying an older one.`, {
        reason: error.message,
      });
    }
  }
  if (storage.log.head() > 1) {
    throw new Fault(
      "LogDamaged",
      `Shard ${settings.shard} has no readable snapshot, and its log begins at entry ${storage.log.head()}. Restore the data folder from a backup.`,
    );
  }
  return { state: new ShardState(settings), snapshotSeq: 0 };
}
