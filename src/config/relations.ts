// What settings must hold together. Each rule names both settings, both values and where they came from, since the
// reader of the message may have set only one of them.

import { Fault } from "../base/fault.ts";
import { formatByteSize } from "./byte-size.ts";
import type { SettingKey, Settings } from "./settings.ts";
import { SETTINGS } from "./settings.ts";

/** Where a setting's value came from, ready for a sentence: `flag --port`, `environment variable MILLPOND_PORT`. */
export interface Origin {
  from: "option" | "flag" | "environment" | "file" | "default";
  words: string;
}

export type Origins = Record<SettingKey, Origin>;

export function checkRelations(settings: Settings, origins: Origins): void {
  const problem =
    contradicts("data", settings, origins) ??
    contradicts("durability", settings, origins) ??
    resetBeyondLoopback(settings, origins) ??
    halfOfPair("tlsCert", "tlsKey", settings, origins) ??
    halfOfPair("smtpUrl", "mailFrom", settings, origins) ??
    segmentTooSmall(settings, origins);
  if (problem !== undefined) throw new Fault("SettingInvalid", problem);
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Between different sources the stronger one simply wins; within one source the two cannot both be meant. */
function contradicts(key: "data" | "durability", settings: Settings, origins: Origins): string | undefined {
  if (!settings.memory || origins.memory.from === "default" || origins[key].from !== origins.memory.from)
    return undefined;
  return (
    `memory is on (${origins.memory.words}) and ${key} is "${settings[key]}" (${origins[key].words}), ` +
    `but with memory nothing is written to disk. Leave one of them out.`
  );
}

function resetBeyondLoopback(settings: Settings, origins: Origins): string | undefined {
  if (!settings.allowReset || isLoopback(settings.host)) return undefined;
  return (
    `allow-reset is on (${origins.allowReset.words}) and host is "${settings.host}" (${origins.host.words}), so anyone on ` +
    `the network could wipe all queues. Leave allow-reset out, or listen on 127.0.0.1.`
  );
}

type OptionalKey = "tlsCert" | "tlsKey" | "smtpUrl" | "mailFrom";

function halfOfPair(one: OptionalKey, other: OptionalKey, settings: Settings, origins: Origins): string | undefined {
  if ((settings[one] === undefined) === (settings[other] === undefined)) return undefined;
  const [given, missing] = settings[one] === undefined ? [other, one] : [one, other];
  const { name, isSecret } = SETTINGS[given];
  const shown = isSecret ? "set" : `"${settings[given]}"`;
  return `${name} is ${shown} (${origins[given].words}) and ${SETTINGS[missing].name} is not set. Give both, or neither.`;
}

function segmentTooSmall(settings: Settings, origins: Origins): string | undefined {
  if (settings.segmentBytesMax >= 2 * settings.requestBytesMax) return undefined;
  return (
    `segment-bytes-max is ${formatByteSize(settings.segmentBytesMax)} (${origins.segmentBytesMax.words}) and ` +
    `request-bytes-max is ${formatByteSize(settings.requestBytesMax)} (${origins.requestBytesMax.words}), ` +
    `but a segment must have room for two of the largest requests. Raise the first or lower the second.`
  );
}
