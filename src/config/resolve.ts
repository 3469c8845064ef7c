// From what the operator said to one set of values. Precedence: option (embedding code) or flag, then environment,
// then config file, then default. A value that is not allowed is refused with its source, itself and what is allowed.

import { Fault } from "../base/fault.ts";
import type { Origin, Origins } from "./relations.ts";
import { checkRelations } from "./relations.ts";
import { environmentName } from "./setting.ts";
import type { AnySetting, SettingKey, Settings } from "./settings.ts";
import { settingRows } from "./settings.ts";

export interface SettingSources {
  /** Values that embedding code hands over, already typed; checked like all others. */
  options?: Partial<Settings>;
  /** By flag name without dashes; on/off settings are booleans. */
  flags?: Readonly<Record<string, string | boolean | undefined>>;
  environment?: Readonly<Record<string, string | undefined>>;
  /** Reads the config file; throws what `readFileSync` throws. */
  readFile?: (path: string) => string;
}

export interface ResolvedSettings {
  settings: Settings;
  origins: Origins;
}

export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const configPath = find("config", sources, {})?.value as string | undefined;
  const file = configPath === undefined ? {} : readConfigFile(configPath, sources);
  const settings: Record<string, unknown> = {};
  const origins: Partial<Origins> = {};
  for (const [key, row] of settingRows) {
    const found = find(key, sources, file, configPath);
    settings[key] = found === undefined ? row.default : found.value;
    origins[key] = found?.origin ?? { from: "default", words: "the default" };
  }
  checkRelations(settings as Settings, origins as Origins);
  return { settings: settings as Settings, origins: origins as Origins };
}

type FileValues = Record<string, unknown>;

function find(
  key: SettingKey,
  sources: SettingSources,
  file: FileValues,
  configPath?: string,
): { value: unknown; origin: Origin } | undefined {
  const row = (settingRows.find(([each]) => each === key) as (typeof settingRows)[number])[1];
  const option = sources.options?.[key];
  if (option !== undefined) return read(row, option, { from: "option", words: `option ${key}` });
  const flag = sources.flags?.[row.name];
  if (flag !== undefined) return read(row, flag, { from: "flag", words: `flag --${row.name}` });
  const variable = environmentName(row);
  const given = sources.environment?.[variable];
  // An empty variable is how shells and compose files spell "not set".
  if (given !== undefined && given !== "") {
    return read(row, given, { from: "environment", words: `environment variable ${variable}` });
  }
  const kept = file[row.name];
  if (kept !== undefined) return read(row, kept, { from: "file", words: `"${row.name}" in ${configPath}` });
  return undefined;
}

function read(row: AnySetting, given: unknown, origin: Origin): { value: unknown; origin: Origin } {
  const isText = typeof given === "string" || typeof given === "number" || (typeof given === "boolean" && row.isOnOff);
  const value = isText ? row.parse(String(given)) : undefined;
  if (value !== undefined) return { value, origin };
  const shown = row.isSecret
    ? "a value that is not shown here"
    : typeof given === "string"
      ? `"${given}"`
      : JSON.stringify(given);
  throw new Fault(
    "SettingInvalid",
    `${sentenceStart(origin.words)} is ${shown}, which is not allowed: ${row.name} takes ${row.allowed}.${hint(given, origin)}`,
  );
}

/** Kubernetes sets MILLPOND_PORT=tcp://... by itself in every pod beside a Service called "millpond". */
function hint(given: unknown, origin: Origin): string {
  if (origin.from !== "environment" || typeof given !== "string" || !given.startsWith("tcp://")) return "";
  return " Kubernetes sets this variable for a Service named millpond; give the pod enableServiceLinks: false, or pass the flag.";
}

function readConfigFile(path: string, sources: SettingSources): FileValues {
  let content: string;
  try {
    content = sources.readFile?.(path) ?? "{}";
  } catch (error) {
    throw new Fault("SettingInvalid", `The config file ${path} cannot be read: ${(error as Error).message}.`, error);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (error) {
    throw new Fault("SettingInvalid", `The config file ${path} is not valid JSON: ${(error as Error).message}.`, error);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Fault("SettingInvalid", `The config file ${path} must hold one JSON object, such as {"port": 4566}.`);
  }
  for (const name of Object.keys(parsed)) refuseUnknownKey(name, path);
  return parsed as FileValues;
}

function refuseUnknownKey(name: string, path: string): void {
  if (name === "$schema") return;
  if (name === "config")
    throw new Fault("SettingInvalid", `The config file ${path} names another config file; only one is read.`);
  if (settingRows.some(([, row]) => row.name === name)) return;
  const near = settingRows.find(([key, row]) => key === name || row.name === name.toLowerCase().replaceAll("_", "-"));
  const advice = near === undefined ? "docs/settings.md lists the keys there are." : `Did you mean "${near[1].name}"?`;
  throw new Fault("SettingInvalid", `The config file ${path} has the unknown key "${name}". ${advice}`);
}

function sentenceStart(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
