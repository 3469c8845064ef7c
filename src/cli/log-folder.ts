// What the log commands share: which data folder they read. They only read, so they work beside a running server.

import { resolveSettings } from "../config/index.ts";
import type { Call, Flag } from "./command.ts";
import { textFlag } from "./command.ts";

export const DATA_FLAGS: Readonly<Record<string, Flag>> = {
  data: { type: "string", placeholder: "DIR", help: "data folder [MILLPOND_DATA, else ./.millpond]" },
};

export function dataFolderOf(call: Call): string {
  return resolveSettings({ flags: { data: textFlag(call, "data") }, environment: call.environment }).settings.data;
}
