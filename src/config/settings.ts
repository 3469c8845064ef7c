// The settings table: every knob of the server, once. Flags, environment names, config-file keys, --help,
// validation and docs/settings.md all come from these rows, so a new setting is a new row and nothing else.

import { availableParallelism } from "node:os";
import { isMailAddress } from "../base/mail-address.ts";
import { parseNetworks } from "../base/network.ts";
import type { Setting } from "./setting.ts";
import { automaticCount, byteSize, choice, onOff, optionalText, text, wholeNumber } from "./setting.ts";
import { readSmtpUrl } from "./smtp-url.ts";

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

const ORIGIN = String.raw`(?:local|https?://[A-Za-z0-9.\[\]:_-]+)`;
const CORS_ORIGINS = new RegExp(String.raw`^(?:none|\*|${ORIGIN}(?:\s*,\s*${ORIGIN})*)$`);

export const SETTINGS = {
  host: text({
    name: "host",
    default: "127.0.0.1",
    scope: "member",
    placeholder: "HOST",
    allowed: "a host name or an IP address, without a port",
    pattern: /^([A-Za-z0-9._-]+|[0-9A-Fa-f:.%]+)$/,
    help: "Address to listen on. There is no authentication yet: beyond loopback, everyone who can reach the port can use every queue.",
  }),
  port: wholeNumber({
    name: "port",
    default: 4566,
    min: 0,
    max: 65_535,
    scope: "member",
    help: "Port to listen on; 0 takes a free one and prints it.",
  }),
  data: text({
    name: "data",
    default: "./.millpond",
    scope: "member",
    placeholder: "DIR",
    allowed: "a folder path",
    pattern: /./,
    help: "Folder that holds the log; created when absent. One process at a time may use it.",
  }),
  memory: onOff({
    name: "memory",
    scope: "member",
    help: "Keep everything in memory and nothing on disk: all is gone when the process ends.",
  }),
  durability: choice({
    name: "durability",
    default: "fsync",
    choices: ["fsync", "os"],
    scope: "cluster",
    help: "When an answer may leave: after the disk confirmed the write (fsync, survives power loss) or after the operating system took it (os, survives a crash of the process only).",
  }),
  shards: wholeNumber({
    name: "shards",
    default: 1,
    min: 1,
    max: 256,
    scope: "cluster",
    help: "How many shards new queues are spread over; existing queues stay where they are.",
  }),
  awsDelays: onOff({
    name: "aws-delays",
    scope: "cluster",
    help: "Make callers wait as AWS does: 60 s before a deleted queue's name is free again and between two purges.",
  }),
  config: optionalText({
    name: "config",
    scope: "member",
    placeholder: "FILE",
    allowed: "the path of a JSON file",
    accepts: (given) => given.length > 0,
    help: "JSON file with more settings; its keys are these names.",
  }),
  logLevel: choice({
    name: "log-level",
    default: "info",
    choices: ["error", "warn", "info", "debug"],
    scope: "member",
    help: "The least important messages that are still printed.",
  }),
  readyFile: optionalText({
    name: "ready-file",
    scope: "member",
    placeholder: "FILE",
    allowed: "a file path",
    accepts: (given) => given.length > 0,
    help: 'File that receives one JSON line, {"endpoint", "pid"}, once the server answers; removed when it stops.',
  }),
  httpFront: choice({
    name: "http-front",
    default: "sockets",
    choices: ["sockets", "node"],
    scope: "member",
    help: "What speaks HTTP: Millpond's own strict server on sockets, or the slower one that comes with Node, to fall back on.",
  }),
  workers: automaticCount({
    name: "workers",
    default: 0,
    max: 64,
    countAuto: () => availableParallelism() - 1,
    scope: "member",
    help: "Processes that take connections, read requests and write answers, so that the main process has a core for queues and log alone. auto leaves it one core. 0: one process does all, which is best on one or two cores.",
  }),
  tlsCert: optionalText({
    name: "tls-cert",
    scope: "member",
    placeholder: "FILE",
    allowed: "the path of a PEM file",
    accepts: (given) => given.length > 0,
    help: "Certificate to speak TLS with, followed by those that vouch for it; needs tls-key. Then the port takes https only.",
  }),
  tlsKey: optionalText({
    name: "tls-key",
    scope: "member",
    placeholder: "FILE",
    allowed: "the path of a PEM file",
    accepts: (given) => given.length > 0,
    help: "Private key of tls-cert, without a passphrase.",
  }),
  publicUrl: optionalText({
    name: "public-url",
    scope: "cluster",
    placeholder: "URL",
    allowed: 'an http or https URL without path, query or user, such as "https://queues.example.com"',
    accepts: isPlainHttpUrl,
    help: "Origin to use in queue URLs in place of the one that the caller used.",
  }),
  trustForwarded: onOff({
    name: "trust-forwarded",
    scope: "cluster",
    help: "Build queue URLs from the X-Forwarded-Proto, -Host and -Port headers: only behind a proxy that sets them itself.",
  }),
  corsOrigins: text({
    name: "cors-origins",
    default: "local",
    scope: "cluster",
    placeholder: "ORIGINS",
    allowed: '"none", "*", or origins such as "local,https://app.example.com"',
    pattern: CORS_ORIGINS,
    help: "Web pages that may call queues and topics from a browser: local stands for every page of this machine (localhost, 127.0.0.1), * for every page of the internet, none for no page. Functions and the admin API are not for pages of other origins.",
  }),
  region: text({
    name: "region",
    default: "us-east-1",
    scope: "cluster",
    placeholder: "REGION",
    allowed: "letters, digits and hyphens",
    pattern: /^[A-Za-z0-9-]{1,64}$/,
    help: "Region of requests that carry no signature.",
  }),
  allowReset: onOff({
    name: "allow-reset",
    scope: "member",
    help: "Let the admin API wipe all queues and messages: for tests, and on loopback only.",
  }),
  queuePolicies: choice({
    name: "queue-policies",
    default: "warn",
    choices: ["off", "warn", "enforce"],
    scope: "cluster",
    help: "How far queue policies bind SNS when it delivers to queues: not at all (off), deliver and say which statement AWS would miss (warn), or refuse as AWS does (enforce).",
  }),
  snsSigning: onOff({
    name: "sns-signing",
    default: true,
    scope: "cluster",
    help: "Sign what SNS delivers, with a key that is made on first use and kept in the data folder.",
  }),
  outboundAllow: optionalText({
    name: "outbound-allow",
    scope: "member",
    placeholder: "NETWORKS",
    allowed: 'networks such as "10.0.0.0/8,fd00::/8", separated by commas',
    accepts: isNetworkList,
    help: "Networks that deliveries may go to, and no others. The narrowest network here or in outbound-deny that holds an address decides. Not set: everything but metadata services of clouds, which must be named here to be reached.",
  }),
  outboundDeny: optionalText({
    name: "outbound-deny",
    scope: "member",
    placeholder: "NETWORKS",
    allowed: 'networks such as "10.0.0.0/8,fd00::/8", separated by commas',
    accepts: isNetworkList,
    help: "Networks that deliveries may not go to, besides metadata services of clouds.",
  }),
  outboundCa: optionalText({
    name: "outbound-ca",
    scope: "member",
    placeholder: "FILE",
    allowed: "the path of a PEM file",
    accepts: (given) => given.length > 0,
    help: "Certificates of authorities to trust in endpoints and mail servers, besides those that come with Node.",
  }),
  smtpUrl: optionalText({
    name: "smtp-url",
    scope: "member",
    placeholder: "URL",
    allowed:
      '"smtp://user:password@host:587" or "smtps://user:password@host:465"; the login and the port may be left out',
    accepts: (given) => readSmtpUrl(given) !== undefined,
    isSecret: true,
    help: "Mail server for email subscriptions; needs mail-from. Not set: mails are shown in the log instead. As a flag it is seen by everyone on the machine: prefer the environment.",
  }),
  mailFrom: optionalText({
    name: "mail-from",
    scope: "cluster",
    placeholder: "ADDRESS",
    allowed: "a mail address",
    accepts: isMailAddress,
    help: "Address that mails come from.",
  }),
  bodyCacheBytesMax: byteSize({
    name: "body-cache-bytes-max",
    default: 64 * MiB,
    min: 0,
    max: 64 * GiB,
    scope: "member",
    help: "Memory for recent message bodies; older ones are read from the log.",
  }),
  segmentBytesMax: byteSize({
    name: "segment-bytes-max",
    default: 64 * MiB,
    min: 4 * MiB,
    max: 1 * GiB,
    scope: "member",
    help: "A log segment is sealed at this size and the next one begins.",
  }),
  functionConcurrencyMax: wholeNumber({
    name: "function-concurrency-max",
    default: 100,
    min: 1,
    max: 10_000,
    scope: "member",
    help: "How many invocations run at once, of all functions together. Each that runs code has a process of its own.",
  }),
  requestBytesMax: byteSize({
    name: "request-bytes-max",
    default: 8 * MiB,
    min: 1 * MiB,
    // The wire refuses more than this whatever the front lets through: no message that AWS allows needs it.
    max: 8 * MiB,
    scope: "cluster",
    help: "Largest request body accepted. A message of 1 MiB can take several times that once it is escaped.",
  }),
};

export type SettingKey = keyof typeof SETTINGS;
type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;
export type Settings = { [Key in SettingKey]: ValueOf<(typeof SETTINGS)[Key]> };

/** A row with its type forgotten, for code that treats all rows alike. */
export type AnySetting = Setting<unknown>;

export const settingRows: readonly (readonly [SettingKey, AnySetting])[] = Object.entries(SETTINGS) as unknown as [
  SettingKey,
  AnySetting,
][];

function isNetworkList(given: string): boolean {
  return (parseNetworks(given) ?? []).length > 0;
}

function isPlainHttpUrl(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
}
