import assert from "node:assert/strict";
import type { ScenarioQueue } from "../scenario-queue.ts";
import { assertRefused, scenarios } from "../world.ts";

const ACCOUNTS = ["111122223333", "444455556666"];

function allow(queue: ScenarioQueue, label: string, accounts: string[], actions: string[]) {
  return queue.sqs.addPermission({ QueueUrl: queue.url, Label: label, AWSAccountIds: accounts, Actions: actions });
}

function forbid(queue: ScenarioQueue, label: string) {
  return queue.sqs.removePermission({ QueueUrl: queue.url, Label: label });
}

async function policyOf(queue: ScenarioQueue) {
  const policy = await queue.attribute("Policy");
  return policy === undefined ? undefined : JSON.parse(policy);
}

scenarios("permissions", (scenario) => {
  scenario("a permission becomes a statement of the policy, and goes again", async (world) => {
    const queue = await world.queue();
    await allow(queue, "one", ACCOUNTS.slice(0, 1), ["ReceiveMessage"]);
    const first = {
      Sid: "one",
      Effect: "Allow",
      Principal: { AWS: `arn:aws:iam::${ACCOUNTS[0]}:root` },
      Action: "SQS:ReceiveMessage",
      Resource: queue.arn,
    };
    assert.deepEqual(await policyOf(queue), {
      Version: "2008-10-17",
      Id: `${queue.arn}/SQSDefaultPolicy`,
      Statement: [first],
    });
    await allow(queue, "many_2-x", ACCOUNTS, ["SendMessage", "*"]);
    assert.deepEqual((await policyOf(queue)).Statement, [
      first,
      {
        Sid: "many_2-x",
        Effect: "Allow",
        Principal: { AWS: ACCOUNTS.map((account) => `arn:aws:iam::${account}:root`) },
        Action: ["SQS:SendMessage", "SQS:*"],
        Resource: queue.arn,
      },
    ]);
    await forbid(queue, "one");
    assert.equal((await policyOf(queue)).Statement.length, 1);
    await forbid(queue, "many_2-x");
    assert.equal(await policyOf(queue), undefined);
  });

  scenario("a label is used once, and has 1 to 80 letters, digits, hyphens and underscores", async (world) => {
    const queue = await world.queue();
    await allow(queue, "label", ACCOUNTS, ["*"]);
    const taken = "Value label for parameter Label is invalid. Reason: Already exists.";
    await assertRefused(allow(queue, "label", ACCOUNTS, ["*"]), "InvalidParameterValue", taken);
    await allow(queue, "l".repeat(80), ACCOUNTS, ["*"]);
    for (const label of ["l".repeat(81), "has space", "dot.ted"]) {
      await assertRefused(allow(queue, label, ACCOUNTS, ["*"]), "InvalidParameterValue");
    }
  });

  scenario("only what can be shared is granted", async (world) => {
    const queue = await world.queue();
    for (const action of [
      "ChangeMessageVisibility",
      "DeleteMessage",
      "GetQueueAttributes",
      "GetQueueUrl",
      "ListDeadLetterSourceQueues",
      "PurgeQueue",
      "ReceiveMessage",
      "SendMessage",
    ]) {
      await allow(queue, action, ACCOUNTS, [action]);
    }
    for (const action of [
      "AddPermission",
      "CreateQueue",
      "DeleteQueue",
      "ListQueues",
      "ListQueueTags",
      "RemovePermission",
      "SetQueueAttributes",
      "StartMessageMoveTask",
      "TagQueue",
    ]) {
      const text = `Value SQS:${action} for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action.`;
      await assertRefused(allow(queue, "l", ACCOUNTS, [action]), "InvalidParameterValue", text);
    }
    for (const action of ["Dance", "SendMessageBatch", "sendmessage"]) {
      const text = `Value SQS:${action} for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions.`;
      await assertRefused(allow(queue, "l", ACCOUNTS, ["SendMessage", action]), "InvalidParameterValue", text);
    }
  });

  scenario("seven actions and twenty statements are the most", async (world) => {
    const queue = await world.queue();
    const actions = Array(8).fill("SendMessage");
    const text = "8 Actions were found, maximum allowed is 7.";
    await assertRefused(allow(queue, "l", ACCOUNTS, actions), "OverLimit", text, 403);
    for (let n = 0; n < 20; n++) await allow(queue, `l${n}`, ACCOUNTS, ["*"]);
    await assertRefused(allow(queue, "l20", ACCOUNTS, ["*"]), "OverLimit", undefined, 403);
  });

  scenario("a permission needs a label, accounts and actions", async (world) => {
    const queue = await world.queue();
    await assertRefused(allow(queue, "", ACCOUNTS, ["*"]), "MissingParameter");
    await assertRefused(allow(queue, "l", ACCOUNTS, []), "MissingParameter");
    await assert.rejects(allow(queue, "l", [], ["*"]), { status: 400 });
    await assertRefused(allow(queue, "l", ["12"], ["*"]), "InvalidParameterValue");
    assert.equal(await policyOf(queue), undefined);
  });

  scenario("a label that is not there cannot be removed", async (world) => {
    const queue = await world.queue();
    const text = "Value l for parameter Label is invalid. Reason: can't find label.";
    await assertRefused(forbid(queue, "l"), "InvalidParameterValue", text);
    await allow(queue, "other", ACCOUNTS, ["*"]);
    await assertRefused(forbid(queue, "l"), "InvalidParameterValue", /Reason: can't find label/);
    await assertRefused(forbid(queue, ""), "MissingParameter");
  });

  scenario("a statement is added to a policy that was set whole", async (world) => {
    const own = { Sid: "own", Effect: "Deny", Principal: "*", Action: "sqs:*", Resource: "*" };
    const queue = await world.queue({ Policy: JSON.stringify({ Version: "2012-10-17", Statement: own }) });
    await allow(queue, "l", ACCOUNTS, ["*"]);
    const { Version, Statement } = await policyOf(queue);
    assert.equal(Version, "2012-10-17");
    assert.deepEqual(
      Statement.map(({ Sid }: { Sid: string }) => Sid),
      ["own", "l"],
    );
    await forbid(queue, "own");
    await forbid(queue, "l");
    assert.equal(await policyOf(queue), undefined);
  });
});
