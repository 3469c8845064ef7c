import assert from "node:assert/strict";
import test from "node:test";
import { apply } from "../apply.ts";
import { FIFO_TOPICS_MAX } from "../limits.ts";
import { ShardState } from "../state.ts";
import { decideCreateTopic } from "./create-topic.ts";

test("an account has so many FIFO topics in a region, and may go on with standard ones and elsewhere", () => {
  const state = new ShardState({ shard: 0, awsDelays: false });
  const create = (name: string, region = "us-east-1") => {
    const attributes: Record<string, string> = name.endsWith(".fifo") ? { FifoTopic: "true" } : {};
    const topic = { account: "000000000000", region, name };
    return decideCreateTopic(state, { kind: "createTopic", topic, attributes, tags: {} }, (fact) =>
      apply(state, fact, undefined),
    );
  };
  for (let n = 0; n < FIFO_TOPICS_MAX; n++) assert.ok(create(`t${n}.fifo`).ok);
  const refused = create("more.fifo");
  assert.equal(refused.ok ? "" : refused.refusal.code, "TopicLimitExceeded");
  assert.ok(create("t0.fifo").ok, "making one again makes none");
  assert.ok(create("more").ok);
  assert.ok(create("more.fifo", "eu-west-1").ok);
});
