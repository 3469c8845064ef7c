import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { isFault } from "../base/fault.ts";
import type { SettingSources } from "./resolve.ts";
import { resolveSettings } from "./resolve.ts";
import { environmentName } from "./setting.ts";
import { settingRows } from "./settings.ts";

function refusalOf(sources: SettingSources): string {
  try {
    resolveSettings(sources);
  } catch (error) {
    assert.ok(isFault(error, "SettingInvalid"), String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: "the settings were accepted" });
}

test("a flag wins over the environment, the environment over the file, the file over the default", () => {
  const file = { readFile: () => '{"port": 1, "host": "from-file", "region": "eu-west-1"}' };
  const { settings, origins } = resolveSettings({
    flags: { port: "3", config: "millpond.json" },
    environment: { MILLPOND_PORT: "2", MILLPOND_HOST: "from-environment" },
    ...file,
  });
  assert.equal(settings.port, 3);
  assert.equal(settings.host, "from-environment");
  assert.equal(settings.region, "eu-west-1");
  assert.equal(settings.durability, "fsync");
  assert.equal(origins.region.words, '"region" in millpond.json');
});

test("each row has a default that it would itself accept", () => {
  for (const [key, row] of settingRows) {
    if (row.default !== undefined) assert.deepEqual(row.parse(row.format(row.default)), row.default, key);
    assert.match(row.help, /\.$/, key);
    assert.match(environmentName(row), /^MILLPOND_[A-Z_]+$/);
  }
});

test("a value that is not allowed is refused with its source, itself and what is allowed", () => {
  assert.equal(
    refusalOf({ environment: { MILLPOND_PORT: "http" } }),
    'Environment variable MILLPOND_PORT is "http", which is not allowed: port takes a whole number from 0 to 65535.',
  );
  assert.match(refusalOf({ flags: { durability: "disk" } }), /^Flag --durability is "disk".*one of fsync, os\.$/);
  assert.match(
    refusalOf({ flags: { config: "m.json" }, readFile: () => '{"shards": true}' }),
    /^"shards" in m\.json is true/,
  );
  assert.match(refusalOf({ options: { port: 70_000 } }), /^Option port is 70000/);
});

test("workers is a number, or what auto makes of this machine's cores", () => {
  const workersOf = (workers: string) => resolveSettings({ flags: { workers } }).settings.workers;
  assert.equal(workersOf("3"), 3);
  assert.equal(workersOf("auto"), Math.min(64, availableParallelism() - 1));
  for (const workers of ["65", "-1", "many"]) assert.match(refusalOf({ flags: { workers } }), /from 0 to 64, or auto/);
});

test("the variable that Kubernetes sets for a service of our name is recognised", () => {
  assert.match(refusalOf({ environment: { MILLPOND_PORT: "tcp://10.0.0.1:4566" } }), /enableServiceLinks/);
});

test("an empty environment variable counts as not set", () => {
  assert.equal(resolveSettings({ environment: { MILLPOND_PORT: "" } }).settings.port, 4566);
});

test("a config file that cannot be used says why", () => {
  const config = { config: "m.json" };
  const unreadable = () => {
    throw new Error("ENOENT: no such file");
  };
  assert.match(refusalOf({ flags: config, readFile: unreadable }), /^The config file m\.json cannot be read: ENOENT/);
  assert.match(refusalOf({ flags: config, readFile: () => "{port}" }), /is not valid JSON/);
  assert.match(refusalOf({ flags: config, readFile: () => "[]" }), /must hold one JSON object/);
  assert.match(refusalOf({ flags: config, readFile: () => '{"logLevel": "info"}' }), /Did you mean "log-level"\?$/);
  assert.match(refusalOf({ flags: config, readFile: () => '{"prot": 1}' }), /unknown key "prot"/);
});

test("settings that contradict each other are refused with both values", () => {
  assert.match(
    refusalOf({ flags: { memory: true, data: "/srv/mill" } }),
    /^memory is on \(flag --memory\) and data is "\/srv\/mill" \(flag --data\)/,
  );
  assert.match(
    refusalOf({ flags: { "allow-reset": true }, environment: { MILLPOND_HOST: "0.0.0.0" } }),
    /^allow-reset is on \(flag --allow-reset\) and host is "0\.0\.0\.0" \(environment variable MILLPOND_HOST\)/,
  );
  assert.match(
    refusalOf({ options: { segmentBytesMax: 4 * 1024 * 1024 } }),
    /^segment-bytes-max is 4 MiB .* request-bytes-max is 8 MiB/,
  );
});

test("a stronger source overrules a weaker one without a quarrel", () => {
  const { settings } = resolveSettings({ flags: { memory: true }, environment: { MILLPOND_DATA: "/srv/mill" } });
  assert.equal(settings.memory, true);
});

test("a public url has no path, since queue paths follow it", () => {
  assert.equal(
    resolveSettings({ flags: { "public-url": "https://q.example.com" } }).settings.publicUrl,
    "https://q.example.com",
  );
  assert.match(refusalOf({ flags: { "public-url": "https://q.example.com/sqs" } }), /without path/);
});

test("a secret is not shown, not even when it is wrong", () => {
  const wrong = refusalOf({ environment: { MILLPOND_SMTP_URL: "smtp//me:hush@mail.example.com" } });
  assert.match(wrong, /MILLPOND_SMTP_URL is a value that is not shown here, which is not allowed: smtp-url takes/);
  const alone = refusalOf({ flags: { "smtp-url": "smtp://me:hush@mail.example.com" } });
  assert.equal(alone, "smtp-url is set (flag --smtp-url) and mail-from is not set. Give both, or neither.");
  assert.ok(!`${wrong}${alone}`.includes("hush"));
});

test("networks and mail servers are read as a whole or refused", () => {
  const { settings } = resolveSettings({ options: { outboundDeny: "10.0.0.0/8, fd00::/8", snsSigning: false } });
  assert.equal(settings.outboundDeny, "10.0.0.0/8, fd00::/8");
  assert.equal(settings.snsSigning, false);
  assert.match(refusalOf({ flags: { "outbound-allow": "10.0.0.0/33" } }), /outbound-allow takes networks such as/);
  for (const smtpUrl of [
    "mail.example.com",
    "http://mail.example.com",
    "smtp://mail.example.com/path",
    "smtp://:pw@m",
  ]) {
    assert.match(refusalOf({ options: { smtpUrl, mailFrom: "a@b" } }), /smtp-url takes/, smtpUrl);
  }
  assert.match(refusalOf({ options: { smtpUrl: "smtp://mail", mailFrom: "me" } }), /mail-from takes a mail address/);
});
