// Deliveries to HTTP endpoints, without sockets: what is posted, what is tried again and when, what is given up, and
// what of it outlasts a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { subscriptionArn } from "../../src/engine/index.ts";
import type { Outbound, OutboundMail, OutboundPost, OutboundResult } from "../../src/host/outbound.ts";
import { arnOf, queue, topic, World } from "./topic-world.ts";

const SECOND = 1000;
const ENDPOINT = "http://shop.test/hook";

/** Endpoints that answer what a test wants, and remember what they were asked. */
class Endpoints implements Outbound {
  readonly posts: (OutboundPost & { atMs: number })[] = [];
  readonly mails: OutboundMail[] = [];
  /** By URL, in order; the last stays. */
  readonly answers = new Map<string, (number | Promise<number> | (() => Promise<number>) | "refused")[]>();
  nowMs: () => number = () => 0;

  async post(post: OutboundPost, signal: AbortSignal): Promise<OutboundResult> {
    this.posts.push({ ...post, atMs: this.nowMs() });
    const answers = this.answers.get(post.url) ?? [200];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === "refused") return { is: "failed", reason: "The connection was refused.", forGood: false };
    const hungUp = new Promise<number>((resolve) => signal.addEventListener("abort", () => resolve(0)));
    const status = typeof answer === "function" ? answer() : (answer as number | Promise<number>);
    return { is: "answered", status: await Promise.race([status, hungUp]) };
  }

  mail = async (mail: OutboundMail): Promise<OutboundResult> => {
    this.mails.push(mail);
    return { is: "answered", status: 250 };
  };

  of(url: string, type = "Notification") {
    return this.posts.filter((post) => post.url === url && post.headers["x-amz-sns-message-type"] === type);
  }
}

async function start(): Promise<{ world: World; endpoints: Endpoints }> {
  const endpoints = new Endpoints();
  const world = new World(1, { outbound: endpoints });
  endpoints.nowMs = () => world.clock.nowMs();
  await world.start();
  await world.createTopic("t");
  return { world, endpoints };
}

/** Subscribes and follows the link in the confirmation. */
async function subscribe(
  { world, endpoints }: { world: World; endpoints: Endpoints },
  url: string,
  attributes: Record<string, string> = {},
): Promise<string> {
  const arn = await world.subscribe("t", url, attributes, "http");
  await world.host.settle();
  await confirm(world, endpoints, url);
  return arn;
}

async function confirm(world: World, endpoints: Endpoints, url: string): Promise<void> {
  const { body } = endpoints.of(url, "SubscriptionConfirmation").at(-1) ?? { body: "{}" };
  const outcome = await world.host.execute<"confirmSubscription">({
    kind: "confirmSubscription",
    scope: topic("t"),
    token: (JSON.parse(body) as { Token: string }).Token,
    authenticateOnUnsubscribe: false,
    authenticated: false,
  });
  assert.ok(outcome.ok, JSON.stringify(outcome));
}

const messagesOf = (posts: OutboundPost[]) =>
  posts.map(({ body }) => (body.startsWith("{") ? (JSON.parse(body) as { Message: string }).Message : body));

test("an endpoint is asked to confirm, gets nothing before it has, and then every message with its headers", async () => {
  const { world, endpoints } = await start();
  endpoints.answers.set(ENDPOINT, [500, 200]);
  const arn = await world.subscribe("t", ENDPOINT, {}, "http");
  await world.host.settle();
  await world.publish("t", "early");
  assert.equal(endpoints.of(ENDPOINT, "SubscriptionConfirmation").length, 1);
  await world.clock.advance(20 * SECOND);
  const [first, again] = endpoints.of(ENDPOINT, "SubscriptionConfirmation");
  assert.equal(again?.body, first?.body);
  assert.equal(first?.headers["x-amz-sns-subscription-arn"], undefined);
  const document = JSON.parse(first?.body ?? "{}") as Record<string, string>;
  assert.match(
    document.Message ?? "",
    /^You have chosen to subscribe to the topic arn:aws:sns:us-east-1:000000000000:t\.\nTo /,
  );
  assert.equal(
    document.SubscribeURL,
    `http://localhost:4566/?Action=ConfirmSubscription&TopicArn=${document.TopicArn}&Token=${document.Token}`,
  );
  await confirm(world, endpoints, ENDPOINT);
  await world.publish("t", "late", { subject: "s" });
  await world.host.settle();
  const [post] = endpoints.of(ENDPOINT);
  assert.deepEqual(messagesOf(endpoints.of(ENDPOINT)), ["late"]);
  assert.equal(post?.headers["x-amz-sns-subscription-arn"], arn);
  assert.equal(post?.headers["Content-Type"], "text/plain; charset=UTF-8");
  assert.equal(post?.headers["User-Agent"], "Amazon Simple Notification Service Agent");
  assert.equal(world.host.deliveryRecords.of(arn)?.deliveredCount, 1);
  await world.stop();
});

test("server errors are tried again by the policy, and what is given up is in the dead-letter queue", async () => {
  const { world, endpoints } = await start();
  await world.createQueue("failed");
  const arn = await subscribe({ world, endpoints }, ENDPOINT, {
    RawMessageDelivery: "true",
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf("failed") }),
  });
  endpoints.answers.set(ENDPOINT, [503, "refused", 500, 502]);
  const startMs = world.clock.nowMs();
  await world.publish("t", "hello", { attributes: [{ name: "k", dataType: "String", value: "v" }] });
  await world.clock.advance(100 * SECOND);
  assert.deepEqual(
    endpoints.of(ENDPOINT).map(({ atMs }) => (atMs - startMs) / SECOND),
    [0, 20, 40, 60],
  );
  assert.equal(endpoints.of(ENDPOINT)[0]?.headers["x-amz-sns-rawdelivery"], "true");
  const [dead, ...more] = await world.receive("failed");
  assert.equal(more.length, 0);
  assert.equal(Buffer.from(dead?.content.body ?? "").toString(), "hello");
  assert.deepEqual(dead?.content.attributes, [{ name: "k", dataType: "String", value: "v" }]);
  assert.equal(dead?.receiveCount, 1);
  assert.equal(dead?.deadLetterSourceArn, undefined);
  const record = world.host.deliveryRecords.of(arn);
  assert.deepEqual([record?.retriedCount, record?.failedCount], [3, 1]);
  assert.equal(record?.failures.at(-1)?.outcome, "deadLettered");
  await world.stop();
});

test("a client's error or a redirect is not tried again", async () => {
  for (const status of [403, 301]) {
    const { world, endpoints } = await start();
    const arn = await subscribe({ world, endpoints }, ENDPOINT);
    endpoints.answers.set(ENDPOINT, [status]);
    await world.publish("t", "no");
    await world.clock.advance(100 * SECOND);
    assert.equal(endpoints.of(ENDPOINT).length, 1);
    assert.equal(world.host.deliveryRecords.of(arn)?.failures[0]?.outcome, "dropped");
    await world.stop();
  }
});

test("attempts already made count after a restart, and a broken-off attempt is made again", async () => {
  const { world, endpoints } = await start();
  await subscribe({ world, endpoints }, ENDPOINT);
  const never = new Promise<number>(() => undefined);
  endpoints.answers.set(ENDPOINT, [500, never]);
  await world.publish("t", "persistent");
  await world.host.settle();
  assert.equal(endpoints.of(ENDPOINT).length, 1);
  await world.restart();
  // The second attempt hangs: the clock must not wait for it.
  world.clock.settleWith(() => new Promise((resolve) => setTimeout(resolve, 20)));
  await world.clock.advance(20 * SECOND);
  assert.equal(endpoints.of(ENDPOINT).length, 2);
  endpoints.answers.set(ENDPOINT, [200]);
  await world.restart();
  await world.clock.advance(1 * SECOND);
  assert.deepEqual(messagesOf(endpoints.of(ENDPOINT)), ["persistent", "persistent", "persistent"]);
  await world.clock.advance(100 * SECOND);
  assert.equal(endpoints.of(ENDPOINT).length, 3);
  await world.stop();
});

test("a dead endpoint slows no other, and a throttled one gets its messages evenly", async () => {
  const { world, endpoints } = await start();
  const [dead, alive, slow] = ["http://dead.test/", "http://alive.test/", "http://slow.test/"];
  await subscribe({ world, endpoints }, dead);
  await subscribe({ world, endpoints }, alive);
  await subscribe({ world, endpoints }, slow, {
    DeliveryPolicy: JSON.stringify({ throttlePolicy: { maxReceivesPerSecond: 2 } }),
  });
  endpoints.answers.set(dead, [new Promise<number>(() => undefined)]);
  world.clock.settleWith(() => new Promise((resolve) => setTimeout(resolve, 20)));
  const startMs = world.clock.nowMs();
  for (let index = 0; index < 40; index++) await world.publish("t", `m${index}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(endpoints.of(alive).length, 40);
  assert.equal(endpoints.of(dead).length, 10);
  await world.clock.advance(30 * SECOND);
  const times = endpoints.of(slow).map(({ atMs }) => atMs - startMs);
  assert.equal(times.length, 40);
  assert.ok(
    times.every((atMs, index) => atMs >= index * 500 - 1),
    times.join(" "),
  );
  await world.stop();
});

test("an endpoint that fails on everything gets one attempt at a time and rests, until it answers again", async () => {
  const { world, endpoints } = await start();
  await subscribe({ world, endpoints }, ENDPOINT);
  const failing = () =>
    new Promise<number>((resolve) => void world.clock.setTimer(world.clock.nowMs() + 100, () => resolve(503)));
  endpoints.answers.set(ENDPOINT, [failing]);
  // Attempts that wait for the clock are never settled.
  world.clock.settleWith(() => new Promise((resolve) => setTimeout(resolve, 3)));
  const bodies = Array.from({ length: 60 }, (_, index) => `m${index}`);
  for (const body of bodies) await world.publish("t", body);
  // Twenty or so by ten at once, then one in half a second.
  for (let step = 0; step < 200; step++) await world.clock.advance(50);
  const whileDead = endpoints.of(ENDPOINT).length;
  assert.ok(whileDead >= 30 && whileDead <= 50, `${whileDead} attempts in ten seconds`);
  endpoints.answers.set(ENDPOINT, [200]);
  await world.clock.advance(60 * SECOND);
  assert.deepEqual(new Set(messagesOf(endpoints.of(ENDPOINT).slice(whileDead))), new Set(bodies));
  await world.stop();
});

test("a topic's subscriptions are shown with their counts, failures, what waits and what is in the way", async () => {
  const endpoints = new Endpoints();
  const world = await new World(1, { outbound: endpoints, accessMode: "enforce" }).start();
  await world.createTopic("t");
  for (const name of ["closed", "dead"]) await world.createQueue(name);
  const dead = arnOf("dead");
  await world.subscribe("t", "closed", { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead }) });
  await world.subscribe("t", "missing");
  await subscribe({ world, endpoints }, ENDPOINT);
  endpoints.answers.set(ENDPOINT, [500]);
  const published = await world.publish("t", "x");
  assert.ok("messageId" in published);
  await world.host.settle();
  const { messageId } = published;
  const atMs = world.clock.nowMs();
  const [closed, missing, http] = world.host.subscriptions(topic("t")) ?? [];
  assert.equal(closed?.problem?.endsWith("So its messages are not delivered."), true, closed?.problem);
  assert.deepEqual(closed?.missingStatement, {
    Sid: "AllowSnsSendMessageT",
    Effect: "Allow",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: arnOf("closed"),
    Condition: { ArnEquals: { "aws:SourceArn": "arn:aws:sns:us-east-1:000000000000:t" } },
  });
  const [failure] = closed?.failures ?? [];
  assert.deepEqual([failure?.messageId, failure?.outcome, failure?.deadLetterArn], [messageId, "deadLettered", dead]);
  assert.deepEqual([missing?.problem, missing?.failedCount], ["The queue does not exist.", 1]);
  assert.deepEqual(
    [http?.waitingCount, http?.deliveredCount, http?.retriedCount, http?.failedCount, http?.problem],
    [1, 0, 1, 0, undefined],
  );
  assert.deepEqual(http?.failures, [{ atMs, reason: "The endpoint answered 500.", messageId, outcome: "retried" }]);
  await world.clock.advance(100 * SECOND);
  const later = world.host.subscriptions(topic("t"))?.at(-1);
  assert.deepEqual([later?.waitingCount, later?.retriedCount, later?.failedCount], [0, 3, 1]);
  assert.equal(world.host.subscriptions(topic("none")), undefined);
  await world.stop();
});

test("a confirmation that nobody takes is told in the record, and its token goes to no dead-letter queue", async () => {
  const { world, endpoints } = await start();
  await world.createQueue("dead");
  endpoints.answers.set(ENDPOINT, [404]);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf("dead") });
  await world.subscribe("t", ENDPOINT, { RedrivePolicy }, "http");
  await world.host.settle();
  assert.deepEqual(await world.bodies("dead"), []);
  const [subscription] = world.host.subscriptions(topic("t")) ?? [];
  assert.equal(subscription?.pending, true);
  assert.equal(subscription?.failures[0]?.reason, "It could not be asked to confirm. The endpoint answered 404.");
  await world.stop();
});

test("the password in an endpoint's URL is sent to it, and is in no report and no log", async () => {
  const endpoints = new Endpoints();
  const logged: string[] = [];
  const world = new World(1, { outbound: endpoints, log: (_level, text) => logged.push(text) });
  endpoints.nowMs = () => world.clock.nowMs();
  await world.start();
  await world.createTopic("t");
  const url = "http://me:hush@shop.test/hook";
  await subscribe({ world, endpoints }, url);
  endpoints.answers.set(url, [404]);
  await world.publish("t", "lost");
  await world.host.settle();
  endpoints.answers.set("http://me:hush@shop.test/other", [404]);
  await world.subscribe("t", "http://me:hush@shop.test/other", {}, "http");
  await world.host.settle();
  assert.equal(endpoints.of(url).length, 1);
  const shown = world.host.subscriptions(topic("t"))?.map(({ endpoint }) => endpoint);
  assert.deepEqual(shown?.sort(), ["http://me:****@shop.test/hook", "http://me:****@shop.test/other"]);
  assert.match(logged.join("\n"), /A message for http:\/\/me:\*{4}@shop\.test\/hook was given up/);
  assert.match(logged.join("\n"), /http:\/\/me:\*{4}@shop\.test\/other could not be asked to confirm/);
  assert.doesNotMatch(logged.join("\n"), /hush/);
  await world.stop();
});

test("an unsigned unsubscribe is told to the endpoint; what was on its way is gone", async () => {
  const { world, endpoints } = await start();
  await subscribe({ world, endpoints }, ENDPOINT);
  const [record] = [...world.host.catalog.resources.values("subscription")];
  assert.ok(record !== undefined);
  const { subscription } = record;
  await world.host.execute({ kind: "unsubscribe", subscription, authenticated: false });
  await world.publish("t", "too late");
  await world.host.settle();
  const [farewell] = endpoints.of(ENDPOINT, "UnsubscribeConfirmation");
  const { Message } = JSON.parse(farewell?.body ?? "{}") as { Message: string };
  assert.match(Message, new RegExp(`^You have chosen to deactivate subscription ${subscriptionArn(subscription)}\\.`));
  assert.deepEqual(endpoints.of(ENDPOINT), []);
  await world.stop();
});

test("the endpoint that was told can restore the subscription as it was, for two days", async () => {
  const { world, endpoints } = await start();
  const arn = await subscribe({ world, endpoints }, ENDPOINT, { RawMessageDelivery: "true" });
  const [record] = [...world.host.catalog.resources.values("subscription")];
  assert.ok(record !== undefined);
  const unsubscribe = async () => {
    await world.host.execute({ kind: "unsubscribe", subscription: record.subscription, authenticated: false });
    await world.host.settle();
    const { body } = endpoints.of(ENDPOINT, "UnsubscribeConfirmation").at(-1) ?? { body: "{}" };
    return (JSON.parse(body) as { Token: string }).Token;
  };
  const restore = (token: string) =>
    world.host.execute<"confirmSubscription">({
      kind: "confirmSubscription",
      scope: topic("t"),
      token,
      authenticateOnUnsubscribe: false,
      authenticated: false,
    });
  const token = await unsubscribe();
  await world.restart();
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await restore(token), { ok: true, value: { subscriptionArn: arn } });
  }
  await world.publish("t", "welcome back");
  await world.host.settle();
  assert.deepEqual(messagesOf(endpoints.of(ENDPOINT)), ["welcome back"]);

  const late = await unsubscribe();
  assert.notEqual(late, token);
  assert.equal((await restore(token)).ok, false, "a token restores once");
  await world.clock.advance(2 * 24 * 3600 * SECOND);
  assert.equal((await restore(late)).ok, false);
  await world.stop();
});

test("restoring confirms the newer subscription of the same endpoint, and makes no second one", async () => {
  const { world, endpoints } = await start();
  await subscribe({ world, endpoints }, ENDPOINT);
  const [record] = [...world.host.catalog.resources.values("subscription")];
  assert.ok(record !== undefined);
  await world.host.execute({ kind: "unsubscribe", subscription: record.subscription, authenticated: false });
  await world.subscribe("t", ENDPOINT, {}, "http");
  await world.host.settle();
  const [farewell] = endpoints.of(ENDPOINT, "UnsubscribeConfirmation");
  await world.host.execute({
    kind: "confirmSubscription",
    scope: topic("t"),
    token: (JSON.parse(farewell?.body ?? "{}") as { Token: string }).Token,
    authenticateOnUnsubscribe: false,
    authenticated: false,
  });
  assert.deepEqual(
    [...world.host.catalog.resources.values("subscription")].map(({ pending }) => pending),
    [false],
  );
  await world.host.execute({ kind: "deleteTopic", topic: topic("t") });
  assert.deepEqual([...world.host.catalog.resources.values("unsubscribed")], []);
  await world.stop();
});

test("mail goes out when there is a server for it, text messages to the log", async () => {
  const told: string[] = [];
  const endpoints = new Endpoints();
  const world = await new World(1, { outbound: endpoints, log: (_, text) => told.push(text) }).start();
  await world.createTopic("t", { DisplayName: "Shop" });
  await world.subscribe("t", "me@shop.test", {}, "email");
  await world.subscribe("t", "+15550100", {}, "sms");
  await world.host.settle();
  const [request] = endpoints.mails;
  assert.equal(request?.subject, "AWS Notification - Subscription Confirmation");
  const token = /Token=(\w+)/.exec(request?.text ?? "")?.[1] ?? "";
  const scope = topic("t");
  const confirmed = {
    kind: "confirmSubscription",
    scope,
    token,
    authenticateOnUnsubscribe: false,
    authenticated: false,
  } as const;
  await world.host.execute<"confirmSubscription">(confirmed);
  await world.publish("t", "news", { messages: { default: "news", sms: "short" }, subject: "Today" });
  await world.host.settle();
  assert.deepEqual([endpoints.mails[1]?.subject, endpoints.mails[1]?.fromName], ["Today", "Shop"]);
  assert.match(endpoints.mails[1]?.text ?? "", /^news\n/);
  assert.ok(told.includes("A text message to +15550100: short"), told.join("\n"));
  await world.stop();
});

test("with a topic go its subscriptions, their queues and its own", async () => {
  const { world, endpoints } = await start();
  await subscribe({ world, endpoints }, ENDPOINT);
  await world.publish("t", "x");
  await world.host.settle();
  await world.host.execute({ kind: "deleteTopic", topic: topic("t") });
  await world.createQueue("only");
  await world.restart();
  const names = [...world.host.catalogShard.state.catalog.queues.values()].map((record) => record.queue.name);
  assert.deepEqual(names, ["only"]);
  assert.deepEqual(world.host.queues(), [queue("only")]);
  await world.stop();
});

test("deliveries begin one in each turn of the event loop, so that the answer to a publish does not wait for them", async () => {
  const { world, endpoints } = await start();
  const urls = Array.from({ length: 10 }, (_, index) => `${ENDPOINT}/${index}`);
  for (const url of urls) await subscribe({ world, endpoints }, url);
  const before = endpoints.posts.length;
  let turn = 0;
  let immediate = setImmediate(function next() {
    turn += 1;
    immediate = setImmediate(next);
  });
  const turns: number[] = [];
  const { post } = endpoints;
  endpoints.post = (...args) => {
    turns.push(turn);
    return post.apply(endpoints, args);
  };
  const published = world.publish("t", "m").then(() => turn);
  await world.host.settle();
  clearImmediate(immediate);
  assert.equal(endpoints.posts.length, before + urls.length);
  assert.equal(new Set(turns).size, urls.length, `they began in turns ${turns}`);
  assert.ok((await published) < (turns[0] as number), `answered in turn ${await published}`);
  await world.stop();
});
