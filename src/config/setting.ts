// What one row of the settings table is, and the few types a row can have. A type knows how to read text (flags
// and environment are text, and a config file's values are turned into it) and how to say what it allows; checks
// that need two settings at once are in relations.ts.

import { formatByteSize, parseByteSize } from "./byte-size.ts";

/** `cluster`: all members must agree on it. `member`: each process may choose. */
export type SettingScope = "cluster" | "member";

export interface Setting<Value> {
  /** As a flag and as a key in the config file; the environment name follows from it. */
  name: string;
  default: Value;
  scope: SettingScope;
  /** One sentence or two, for --help and docs/settings.md. */
  help: string;
  /** What --help shows after the flag; empty for on/off settings. */
  placeholder: string;
  /** Ends "...; allowed: ". */
  allowed: string;
  /** On/off settings are flags without a value. */
  isOnOff: boolean;
  /** Not to be shown, not even in errors about it. */
  isSecret?: boolean;
  /** Undefined: not allowed. */
  parse: (text: string) => Value | undefined;
  format: (value: Value) => string;
}

interface About<Value> {
  name: string;
  default: Value;
  scope: SettingScope;
  help: string;
}

export function text(
  about: About<string> & { placeholder: string; allowed: string; pattern: RegExp },
): Setting<string> {
  const { pattern } = about;
  return { ...about, isOnOff: false, parse: (given) => (pattern.test(given) ? given : undefined), format: String };
}

/** Text that may be absent. `accepts` sees what was given. */
export function optionalText(
  about: Omit<About<undefined>, "default"> & {
    placeholder: string;
    allowed: string;
    accepts: (given: string) => boolean;
    isSecret?: boolean;
  },
): Setting<string | undefined> {
  const { accepts } = about;
  return {
    ...about,
    default: undefined,
    isOnOff: false,
    parse: (given) => (accepts(given) ? given : undefined),
    format: (value) => value ?? "",
  };
}

export function wholeNumber(about: About<number> & { min: number; max: number }): Setting<number> {
  const { min, max } = about;
  return {
    ...about,
    placeholder: "N",
    allowed: `a whole number from ${min} to ${max}`,
    isOnOff: false,
    parse(given) {
      const value = Number(given);
      return /^\d+$/.test(given) && value >= min && value <= max ? value : undefined;
    },
    format: String,
  };
}

/** A whole number, or `auto` for what `countAuto` answers on this machine. */
export function automaticCount(about: About<number> & { max: number; countAuto: () => number }): Setting<number> {
  const { max, countAuto } = about;
  const number = wholeNumber({ ...about, min: 0 });
  return {
    ...number,
    placeholder: "N|auto",
    allowed: `${number.allowed}, or auto`,
    parse: (given) => (given === "auto" ? Math.min(max, countAuto()) : number.parse(given)),
  };
}

export function byteSize(about: About<number> & { min: number; max: number }): Setting<number> {
  const { min, max } = about;
  return {
    ...about,
    placeholder: "BYTES",
    allowed: `bytes, or a size such as "64MiB", from ${formatByteSize(min)} to ${formatByteSize(max)}`,
    isOnOff: false,
    parse(given) {
      const value = parseByteSize(given);
      return value !== undefined && value >= min && value <= max ? value : undefined;
    },
    format: formatByteSize,
  };
}

export function choice<Choice extends string>(
  about: About<NoInfer<Choice>> & { choices: readonly Choice[] },
): Setting<Choice> {
  const { choices } = about;
  return {
    ...about,
    placeholder: choices.join("|"),
    allowed: `one of ${choices.join(", ")}`,
    isOnOff: false,
    parse: (given) => choices.find((each) => each === given),
    format: String,
  };
}

export function onOff(about: Omit<About<boolean>, "default"> & { default?: boolean }): Setting<boolean> {
  return {
    default: false,
    ...about,
    placeholder: "",
    allowed: "true or false",
    isOnOff: true,
    parse(given) {
      const lower = given.toLowerCase();
      if (["true", "1", "on", "yes"].includes(lower)) return true;
      if (["false", "0", "off", "no"].includes(lower)) return false;
      return undefined;
    },
    format: (value) => (value ? "on" : "off"),
  };
}

/** `segment-bytes-max` is MILLPOND_SEGMENT_BYTES_MAX in the environment. */
export function environmentName(setting: { name: string }): string {
  return `MILLPOND_${setting.name.toUpperCase().replaceAll("-", "_")}`;
}
