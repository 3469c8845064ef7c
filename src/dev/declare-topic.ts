// A declared topic and its subscriptions. A subscribed queue's policy gets the statement that lets the topic deliver, as
// AWS asks for; subscriptions and statements that are not declared stay.

import { isDeepStrictEqual } from "node:util";
import { carryOut, lookFor, queueArnOf } from "./carry-out.ts";
import type { SubscriptionDeclaration, TopicDeclaration } from "./project.ts";
import { isFifoName } from "./project.ts";
import type { Change, DeclareWorld } from "./reconcile.ts";

export async function declareTopic(
  world: DeclareWorld,
  declared: TopicDeclaration,
): Promise<Change["how"] | undefined> {
  const topic = { ...world.scope, name: declared.name };
  const path = `topics.${declared.name}`;
  const current = await lookFor<"getTopicAttributes">(world, { kind: "getTopicAttributes", topic });
  const contentDedup = String(declared.contentDedup);
  let isChanged = false;
  if (current === undefined) {
    const attributes: Record<string, string> = isFifoName(declared.name)
      ? { FifoTopic: "true", ContentBasedDeduplication: contentDedup }
      : {};
    await carryOut<"createTopic">(world, path, { kind: "createTopic", topic, attributes, tags: {} });
  } else if (isFifoName(declared.name) && current.attributes["ContentBasedDeduplication"] !== contentDedup) {
    const change = { name: "ContentBasedDeduplication", value: contentDedup };
    await carryOut<"setTopicAttribute">(world, path, { kind: "setTopicAttribute", topic, ...change });
    isChanged = true;
  }
  const arns = await subscriptionArns(world, declared.name, path);
  for (const [index, subscription] of declared.subscriptions.entries()) {
    const place = `${path}.subscriptions[${index}]`;
    const arn = arns.get(queueArnOf(world, subscription.queue));
    const isOther =
      arn === undefined
        ? await subscribe(world, declared.name, subscription, place)
        : await alter(world, declared.name, arn, subscription, place);
    const isAllowedNow = await allowDelivery(world, declared.name, subscription.queue, place);
    isChanged = isChanged || isOther || isAllowedNow;
  }
  if (current === undefined) return "created";
  return isChanged ? "updated" : undefined;
}

/** By the ARN of the queue. */
async function subscriptionArns(world: DeclareWorld, name: string, path: string): Promise<Map<string, string>> {
  const arns = new Map<string, string>();
  const topic = { ...world.scope, name };
  let nextToken: string | undefined;
  do {
    const page: { subscriptions: { arn: string; endpoint: string }[]; nextToken?: string } =
      await carryOut<"listSubscriptionsOfTopic">(world, path, {
        kind: "listSubscriptionsOfTopic",
        topic,
        ...(nextToken === undefined ? {} : { nextToken }),
      });
    for (const { endpoint, arn } of page.subscriptions) arns.set(endpoint, arn);
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return arns;
}

async function subscribe(
  world: DeclareWorld,
  topicName: string,
  declared: SubscriptionDeclaration,
  path: string,
): Promise<true> {
  const { account } = world.scope;
  await carryOut<"subscribe">(world, path, {
    kind: "subscribe",
    topic: { ...world.scope, name: topicName },
    protocol: "sqs",
    endpoint: queueArnOf(world, declared.queue),
    attributes: attributesOf(declared),
    owner: account,
    principal: `arn:aws:iam::${account}:root`,
  });
  return true;
}

async function alter(
  world: DeclareWorld,
  topicName: string,
  arn: string,
  declared: SubscriptionDeclaration,
  path: string,
): Promise<boolean> {
  const subscription = { topic: { ...world.scope, name: topicName }, id: arn.slice(arn.lastIndexOf(":") + 1) };
  const { attributes: current } = await carryOut<"getSubscriptionAttributes">(world, path, {
    kind: "getSubscriptionAttributes",
    subscription,
  });
  const wanted: Record<string, string> = { RawMessageDelivery: "false", FilterPolicy: "{}", ...attributesOf(declared) };
  const isSame = (name: string, value: string) =>
    name === "FilterPolicy"
      ? isDeepStrictEqual(JSON.parse(current[name] ?? "{}"), JSON.parse(value))
      : (current[name] ?? (name === "FilterPolicyScope" ? "MessageAttributes" : "false")) === value;
  // The scope first: whether a policy may be nested depends on it.
  const names = ["FilterPolicyScope", "FilterPolicy", "RawMessageDelivery"];
  let isChanged = false;
  for (const name of names) {
    const value = wanted[name];
    if (value === undefined || isSame(name, value)) continue;
    await carryOut<"setSubscriptionAttribute">(world, path, {
      kind: "setSubscriptionAttribute",
      subscription,
      name,
      value,
    });
    isChanged = true;
  }
  return isChanged;
}

function attributesOf({ raw, filter, filterOn }: SubscriptionDeclaration): Record<string, string> {
  return {
    RawMessageDelivery: String(raw),
    ...(filter === undefined
      ? {}
      : {
          FilterPolicy: JSON.stringify(filter),
          FilterPolicyScope: filterOn === "body" ? "MessageBody" : "MessageAttributes",
        }),
  };
}

interface Policy {
  Version: string;
  Statement: unknown[];
}

/** Whether the statement had to be added. */
async function allowDelivery(
  world: DeclareWorld,
  topicName: string,
  queueName: string,
  path: string,
): Promise<boolean> {
  const queue = { ...world.scope, name: queueName };
  const command = { kind: "getQueueAttributes", queue } as const;
  const { attributes } = await carryOut<"getQueueAttributes">(world, path, command);
  const current = attributes["Policy"];
  const policy: Policy =
    current === undefined ? { Version: "2012-10-17", Statement: [] } : (JSON.parse(current) as Policy);
  const statements = [policy.Statement].flat();
  const { region, account } = world.scope;
  const statement = {
    Effect: "Allow",
    Principal: { Service: "sns.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: queueArnOf(world, queueName),
    Condition: { ArnEquals: { "aws:SourceArn": `arn:aws:sns:${region}:${account}:${topicName}` } },
  };
  if (statements.some((each) => isDeepStrictEqual(each, statement))) return false;
  const changed = JSON.stringify({ ...policy, Statement: [...statements, statement] });
  await carryOut<"setQueueAttributes">(world, path, {
    kind: "setQueueAttributes",
    queue,
    attributes: { Policy: changed },
  });
  return true;
}
