// What `millpond serve` says once it answers: where, how safely, as whom, and two lines to paste.

import { resolve } from "node:path";
import { ACCOUNT_DEFAULT, isLoopback, VERSION } from "../config/index.ts";
import type { RunningServer } from "../server/index.ts";
import type { Output } from "./output.ts";

export function printStart(server: RunningServer, output: Output): void {
  const { settings, endpoint } = server;
  if (output.isJson) return output.json(startRecord(server));
  const label = (text: string) => output.style("dim", text.padEnd(12));
  output.line(`${output.style("bold", "Millpond")} ${VERSION}`);
  output.line();
  output.line(`  ${label("Endpoint")}${output.style("cyan", endpoint)}`);
  output.line(`  ${label("Durability")}${durabilityWords(server)}`);
  if (!settings.memory) output.line(`  ${label("Data")}${resolve(settings.data)}`);
  output.line(`  ${label("Account")}${ACCOUNT_DEFAULT}, region ${settings.region}`);
  if (settings.shards > 1) output.line(`  ${label("Shards")}${server.status().shards.length}`);
  if (settings.workers > 0) output.line(`  ${label("Fronts")}${frontWords(settings.workers)}`);
  output.line();
  output.line("Paste into another terminal:");
  output.line();
  // SDKs read AWS_REGION, the AWS CLI and boto3 AWS_DEFAULT_REGION.
  const region = `AWS_REGION=${settings.region} AWS_DEFAULT_REGION=${settings.region}`;
  output.line(`  export AWS_ENDPOINT_URL=${endpoint} ${region} AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test`);
  // Version 1 of the AWS CLI goes past the variable for SQS, so the endpoint is named here too.
  output.line("  aws sqs create-queue --queue-name my-first-queue --endpoint-url $AWS_ENDPOINT_URL");
  output.line();
  if (!isLoopback(settings.host)) {
    const warning =
      `Open to the network: listening on ${settings.host} without authentication. Everyone who can reach port ` +
      `${server.port} can read, change and delete every queue.`;
    output.note(output.styleNote("yellow", warning));
  }
}

function startRecord(server: RunningServer): object {
  const { settings } = server;
  return {
    version: VERSION,
    endpoint: server.endpoint,
    pid: process.pid,
    durability: settings.memory ? "memory" : settings.durability,
    data: settings.memory ? null : resolve(settings.data),
    account: ACCOUNT_DEFAULT,
    region: settings.region,
    workers: settings.workers,
    isOpenToNetwork: !isLoopback(settings.host),
  };
}

function durabilityWords({ settings }: RunningServer): string {
  if (settings.memory) return "memory: nothing is kept when the server stops";
  if (settings.durability === "os") return "os: answers leave before the disk confirmed; a power loss can lose them";
  return "fsync: answers leave after the disk confirmed";
}

function frontWords(workers: number): string {
  return `${workers} ${workers === 1 ? "process takes" : "processes take"} connections`;
}
