// The host's door.

export type {
  ExecuteOptions,
  Host,
  HostOptions,
  HostStatus,
  HostThresholds,
  IdSource,
  InspectedMessage,
  MessageState,
  ShardStatus,
} from "./host.ts";
export { startHost } from "./start-host.ts";
