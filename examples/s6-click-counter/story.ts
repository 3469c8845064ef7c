// Clicks on short links, counted by a function: every click once, whatever comes twice; what cannot be counted ends in
// the dead-letter queue and stops nobody.

import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { deadLetterUrl, receive, type Stage, sleep, stopwatch } from "../stage.ts";
import { type Deployment, deploy } from "./deployment.ts";
import { linkEvent, startLinkService } from "./link-service.ts";

export interface Told {
  /** Status and target of each redirect. */
  redirects: string[];
  threeClicks: { total: number; day: number };
  sameEventTwice: number;
  /** Counted while the event without a code was tried again and again. */
  meanwhile: number;
  dead: unknown[];
  deadAfterMs: number;
  faultyId: string;
}

const COUNTED_MS_MAX = 30_000;
const TRIES = 3;

/** `npm run example -- s6-click-counter`. */
export async function story(stage: Stage): Promise<Told | undefined> {
  const { AWS_ENDPOINT_URL_DYNAMODB, VISIBILITY_SECONDS = "30" } = process.env;
  if (AWS_ENDPOINT_URL_DYNAMODB !== undefined)
    return tell(stage, AWS_ENDPOINT_URL_DYNAMODB, Number(VISIBILITY_SECONDS));
  stage.say("Name a database: AWS_ENDPOINT_URL_DYNAMODB=http://…");
  return undefined;
}

export async function tell(stage: Stage, databaseEndpoint: string, visibilitySeconds: number): Promise<Told> {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const database = new DynamoDB({ endpoint: databaseEndpoint, region: "us-east-1", credentials });
  const deployment = await deploy(stage, { database, databaseEndpoint, visibilitySeconds });
  const links = await startLinkService(deployment.publish);
  try {
    await links.add("docs", "https://example.com/docs");
    await links.add("news", "https://example.com/news");

    const redirects = [];
    for (let click = 1; click <= 3; click++) redirects.push(await follow(`${links.endpoint}/docs`));
    await counted(stage, deployment, "docs", 3);
    const today = new Date().toISOString().slice(0, "2026-12-31".length);
    const threeClicks = {
      total: await deployment.clicks("docs", "total"),
      day: await deployment.clicks("docs", today),
    };
    stage.say(`3 clicks on /docs, each ${redirects[0]}: counted ${threeClicks.total}, today ${threeClicks.day}`);

    const twice = linkEvent("link.clicked", { code: "news" });
    await deployment.publish(twice);
    await deployment.publish(twice);
    await counted(stage, deployment, "news", 1);

    const faulty = linkEvent("link.clicked", {});
    await deployment.publish(faulty);
    stage.say("a click without a code was published; others go on");
    const { dead, deadAfterMs, clicks } = await clickUntilDead(stage, deployment, `${links.endpoint}/docs`);
    await counted(stage, deployment, "docs", 3 + clicks);
    const meanwhile = (await deployment.clicks("docs", "total")) - 3;
    stage.say(
      `after ${(deadAfterMs / 1000).toFixed(1)} s and ${TRIES} tries it is in the dead-letter queue; ` +
        `meanwhile ${clicks} clicks, counted ${meanwhile}`,
    );
    // Both deliveries are long through by now.
    const sameEventTwice = await deployment.clicks("news", "total");
    stage.say(`one event, published twice: counted ${sameEventTwice}`);
    return { redirects, threeClicks, sameEventTwice, meanwhile, dead, deadAfterMs, faultyId: faulty.id };
  } finally {
    links.stop();
    await deployment.remove();
    database.destroy();
  }
}

async function follow(url: string): Promise<string> {
  const { status, headers } = await fetch(url, { redirect: "manual" });
  return `${status} to ${headers.get("location")}`;
}

async function counted(stage: Stage, deployment: Deployment, code: string, atLeast: number): Promise<void> {
  const giveUpAtMs = stage.clock.nowMs() + COUNTED_MS_MAX;
  while ((await deployment.clicks(code, "total")) < atLeast) {
    if (stage.clock.nowMs() > giveUpAtMs) throw new Error(`${code} was not counted to ${atLeast}`);
    await sleep(stage, 100);
  }
}

/** One click a second until a message is in the dead-letter queue. */
async function clickUntilDead(stage: Stage, { queueUrl }: Deployment, url: string) {
  const startMs = stage.clock.nowMs();
  const atTime = stopwatch(stage);
  for (let clicks = 1; ; clicks++) {
    await follow(url);
    const dead = (await receive(stage, deadLetterUrl(queueUrl), 1)).map(({ Body }) => JSON.parse(Body ?? ""));
    if (dead.length > 0) return { dead, deadAfterMs: stage.clock.nowMs() - startMs, clicks };
    if (clicks % 10 === 0) stage.say(`  ${atTime()}: ${clicks} clicks meanwhile`);
  }
}
