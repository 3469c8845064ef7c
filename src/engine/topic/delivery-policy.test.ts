import assert from "node:assert/strict";
import test from "node:test";
import {
  effectivePolicy,
  storedTopicPolicy,
  subscriptionPolicyProblem,
  topicPolicyProblem,
} from "./delivery-policy.ts";

const retry = (policy: object) => JSON.stringify({ healthyRetryPolicy: policy });
const onTopic = (http: object) => JSON.stringify({ http });

test("without policies a delivery is tried again three times, 20 seconds apart", () => {
  const { healthyRetryPolicy, maxReceivesPerSecond, headerContentType } = effectivePolicy(undefined);
  assert.deepEqual(
    [healthyRetryPolicy.numRetries, healthyRetryPolicy.minDelayTarget, healthyRetryPolicy.maxDelayTarget],
    [3, 20, 20],
  );
  assert.equal(maxReceivesPerSecond, undefined);
  assert.equal(headerContentType, "text/plain; charset=UTF-8");
});

test("a subscription's policy comes before its topic's, part by part, unless the topic forbids it", () => {
  const own = JSON.stringify({
    healthyRetryPolicy: { numRetries: 1 },
    requestPolicy: { headerContentType: "application/json" },
  });
  const topic = { defaultHealthyRetryPolicy: { numRetries: 9 }, defaultThrottlePolicy: { maxReceivesPerSecond: 5 } };
  const open = effectivePolicy(onTopic(topic), own);
  assert.equal(open.healthyRetryPolicy.numRetries, 1);
  assert.equal(open.maxReceivesPerSecond, 5);
  assert.equal(open.headerContentType, "application/json");
  const closed = effectivePolicy(onTopic({ ...topic, disableSubscriptionOverrides: true }), own);
  assert.equal(closed.healthyRetryPolicy.numRetries, 9);
  assert.equal(closed.headerContentType, "text/plain; charset=UTF-8");
});

test("what is out of bounds is said, and what is on them passes", () => {
  for (const [policy, wrong] of [
    [{ numRetries: 100, minDelayTarget: 1, maxDelayTarget: 1 }, undefined],
    [{ numRetries: 101 }, /numRetries must be between 0 and 100/],
    [{ minDelayTarget: 0 }, /minDelayTarget must be greater than or equal to 1/],
    [{ minDelayTarget: 21 }, /minDelayTarget/],
    [{ maxDelayTarget: 3601 }, /maxDelayTarget/],
    [{ numRetries: 2, numNoDelayRetries: 2 }, undefined],
    [{ numRetries: 2, numNoDelayRetries: 2, numMaxDelayRetries: 1 }, /sum of the retries/],
    [{ backoffFunction: "random" }, /backoffFunction/],
    [{ numRetries: 100, minDelayTarget: 36, maxDelayTarget: 36 }, undefined],
    [{ numRetries: 100, minDelayTarget: 37, maxDelayTarget: 37 }, /longer than 3600 seconds/],
    [{ numRetries: 1.5 }, /whole numbers/],
  ] as const) {
    const problem = subscriptionPolicyProblem(retry(policy));
    if (wrong === undefined) assert.equal(problem, undefined, JSON.stringify(policy));
    else assert.match(problem ?? "", wrong);
  }
  assert.equal(topicPolicyProblem("{"), "failed to parse JSON");
  assert.match(topicPolicyProblem('{"http":[]}') ?? "", /http must be/);
  assert.match(topicPolicyProblem(onTopic({ disableSubscriptionOverrides: "yes" })) ?? "", /true or false/);
  assert.match(
    subscriptionPolicyProblem('{"requestPolicy":{"headerContentType":"image/png"}}') ?? "",
    /headerContentType/,
  );
});

test("a topic's policy reads back with its word on subscriptions", () => {
  assert.equal(storedTopicPolicy('{"http":{}}'), '{"http":{"disableSubscriptionOverrides":false}}');
  assert.equal(
    storedTopicPolicy('{"http":{"disableSubscriptionOverrides":true}}'),
    '{"http":{"disableSubscriptionOverrides":true}}',
  );
});

test("members that are no part of a policy are refused at its top, and not kept below, however deep they go", () => {
  const deep = `${"[".repeat(14_000)}${"]".repeat(14_000)}`;
  const text = `{"http":{"defaultHealthyRetryPolicy":{"numRetries":1,"x":${deep}}}}`;
  assert.equal(topicPolicyProblem(`{"y":${deep}}`), "Unexpected JSON member: y");
  assert.equal(topicPolicyProblem(text), undefined);
  assert.deepEqual(JSON.parse(storedTopicPolicy(text)), {
    http: { disableSubscriptionOverrides: false, defaultHealthyRetryPolicy: { numRetries: 1 } },
  });
  assert.equal(effectivePolicy(storedTopicPolicy(text)).healthyRetryPolicy.numRetries, 1);
});
