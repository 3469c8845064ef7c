// The door of config: settings with their sources, durations and sizes as people write them.

export { DURATION_ALLOWED, formatDuration, parseDurationMs } from "../base/duration.ts";
export { formatByteSize, parseByteSize } from "./byte-size.ts";
export type { ClientEnvironment, Environment } from "./environment.ts";
export {
  ACCOUNT_DEFAULT,
  clientEnvironment,
  ENDPOINT_DEFAULT,
  processEnvironment,
  REGION_DEFAULT,
  wantsColour,
} from "./environment.ts";
export type { Origin, Origins } from "./relations.ts";
export { isLoopback } from "./relations.ts";
export type { ResolvedSettings, SettingSources } from "./resolve.ts";
export { resolveSettings } from "./resolve.ts";
export type { AnySetting, SettingKey, Settings } from "./settings.ts";
export { settingRows } from "./settings.ts";
export { settingsPage } from "./settings-page.ts";
export type { SmtpServer } from "./smtp-url.ts";
export { readSmtpUrl } from "./smtp-url.ts";
export { VERSION } from "./version.ts";
