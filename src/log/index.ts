// The log's door.

export {
  type DataFolder,
  type DataFolderOptions,
  FUNCTIONS_FOLDER,
  openDataFolder,
  SIGNING_FILE,
} from "./data-folder.ts";
export { type Disk, type DiskFile, realDisk } from "./disk.ts";
export type {
  AppendResult,
  Entry,
  EntrySeq,
  EntryStamp,
  LogRoom,
  SegmentInfo,
  ShardLog,
  ShardStorage,
  SnapshotRef,
  SnapshotStore,
} from "./log.ts";
export { PAYLOAD_BYTES_MAX } from "./log.ts";
export { openMemoryStorage } from "./memory-log.ts";
export { openSegmentStorage, type SegmentStorageOptions } from "./segment-storage.ts";
export { type DumpedEntry, dumpEntries, type VerifiedFile, verifyFolder } from "./verify.ts";
