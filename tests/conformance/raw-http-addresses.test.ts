// Under which addresses queues are known, and what keeps those of different accounts and regions apart.

import assert from "node:assert/strict";
import type { OutgoingHttpHeaders } from "node:http";
import { SQS } from "@aws-sdk/client-sqs";
import { elementText, exchange, get, json, query, signedBy } from "./http.ts";
import { ACCOUNT, freshName, scenariosOnOneServer } from "./world.ts";

async function urlOf(endpoint: string, name: string, headers: OutgoingHttpHeaders): Promise<string> {
  const viaJson = JSON.parse((await json(endpoint, "GetQueueUrl", { QueueName: name }, headers)).text).QueueUrl;
  const fields = { Action: "GetQueueUrl", QueueName: name };
  assert.equal(elementText(await query(endpoint, fields, { headers }), "QueueUrl"), viaJson);
  return viaJson;
}

scenariosOnOneServer((scenario) => {
  scenario("a queue URL has the host and port that the caller used", async (world) => {
    const queue = await world.queue();
    for (const host of ["localhost:4566", "millpond", "queues.example.com:8443", "127.0.0.1:1", "[::1]:99"]) {
      const url = await urlOf(world.endpoint, queue.name, { host });
      assert.equal(url, `http://${host}/${ACCOUNT}/${queue.name}`);
      assert.equal((await json(world.endpoint, "SendMessage", { QueueUrl: url, MessageBody: host })).status, 200);
      const listed = await json(world.endpoint, "ListQueues", { QueueNamePrefix: queue.name }, { host });
      assert.deepEqual(JSON.parse(listed.text).QueueUrls, [url]);
    }
    assert.equal(await queue.counts(), "5/0/0");
  });

  scenario("an SDK that knows nothing but the queue URL finds the server by it", async (world) => {
    const queue = await world.queue();
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    // It would print that it follows the URL, which is what is wanted here.
    const logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
    const sdk = new SQS({ region: "us-east-1", credentials, logger });
    await sdk.sendMessage({ QueueUrl: queue.url, MessageBody: "m" });
    sdk.destroy();
    assert.deepEqual(await queue.receiveBodies(), ["m"]);
  });

  scenario("forwarded headers are not believed unless told to", async (world) => {
    const queue = await world.queue();
    const headers = { host: "real:1", "x-forwarded-host": "forged", "x-forwarded-proto": "https" };
    assert.equal(await urlOf(world.endpoint, queue.name, headers), `http://real:1/${ACCOUNT}/${queue.name}`);
  });

  scenario("every style of queue URL finds its queue", async (world) => {
    const queue = await world.queue();
    const { name } = queue;
    for (const QueueUrl of [
      `https://sqs.us-east-1.amazonaws.com/${ACCOUNT}/${name}`,
      `https://us-east-1.queue.amazonaws.com/${ACCOUNT}/${name}`,
      `https://queue.amazonaws.com/${ACCOUNT}/${name}`,
      `http://localhost:4566/queue/${name}`,
      `http://localhost:4566/queue/us-east-1/${ACCOUNT}/${name}`,
      `http://sqs.us-east-1.localhost.localstack.cloud:4566/${ACCOUNT}/${name}`,
      `http://other-host:1/${ACCOUNT}/${name}/`,
      `/${ACCOUNT}/${name}`,
      `${ACCOUNT}/${name}`,
      name,
    ]) {
      const answer = await json(world.endpoint, "SendMessage", { QueueUrl, MessageBody: "m" }, signedBy("test"));
      assert.equal(answer.status, 200, `${QueueUrl}: ${answer.text}`);
    }
    for (const path of [`/queue/${name}`, `/queue/us-east-1/${ACCOUNT}/${name}`, `/${ACCOUNT}/${name}`]) {
      const answer = await get(world.endpoint, path, { Action: "SendMessage", MessageBody: "m" });
      assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    }
    assert.equal(await queue.counts(), "13/0/0");
  });

  scenario("queues of one name in two accounts and two regions never meet", async (world) => {
    const { endpoint } = world;
    const QueueName = freshName("-shared");
    const callers = [
      signedBy("111122223333", "us-east-1"),
      signedBy("111122223333", "eu-west-1"),
      signedBy("444455556666", "us-east-1"),
      signedBy("test", "us-east-1"),
    ];
    const places = [
      "us-east-1:111122223333",
      "eu-west-1:111122223333",
      "us-east-1:444455556666",
      `us-east-1:${ACCOUNT}`,
    ];
    for (const [index, caller] of callers.entries()) {
      const { QueueUrl } = JSON.parse((await json(endpoint, "CreateQueue", { QueueName }, caller)).text);
      await json(endpoint, "SendMessage", { QueueUrl, MessageBody: `m${index}` }, caller);
    }
    for (const [index, caller] of callers.entries()) {
      const { QueueUrls } = JSON.parse((await json(endpoint, "ListQueues", {}, caller)).text);
      const own = QueueUrls.filter((url: string) => url.endsWith(QueueName));
      assert.equal(own.length, 1);
      const [QueueUrl] = own;
      const input = { QueueUrl, AttributeNames: ["QueueArn"] };
      const { Attributes } = JSON.parse((await json(endpoint, "GetQueueAttributes", input, caller)).text);
      assert.equal(Attributes.QueueArn, `arn:aws:sqs:${places[index]}:${QueueName}`);
      const received = JSON.parse(
        (await json(endpoint, "ReceiveMessage", { QueueUrl, MaxNumberOfMessages: 10 }, caller)).text,
      );
      assert.deepEqual(
        received.Messages.map(({ Body }: { Body: string }) => Body),
        [`m${index}`],
      );
      await json(endpoint, "DeleteQueue", { QueueUrl }, caller);
    }
  });

  scenario("a queue URL may name another account, but never another region", async (world) => {
    const { endpoint } = world;
    const QueueName = freshName();
    await json(endpoint, "CreateQueue", { QueueName }, signedBy("111122223333"));
    const elsewhere = `https://sqs.us-east-1.amazonaws.com/111122223333/${QueueName}`;
    const input = { QueueUrl: elsewhere, MessageBody: "m" };
    assert.equal((await json(endpoint, "SendMessage", input, signedBy("444455556666"))).status, 200);
    const farAway = await json(endpoint, "SendMessage", input, signedBy("444455556666", "eu-west-1"));
    assert.equal(JSON.parse(farAway.text).__type, "com.amazonaws.sqs#QueueDoesNotExist");
    const owner = { QueueName, QueueOwnerAWSAccountId: "111122223333" };
    const found = JSON.parse((await json(endpoint, "GetQueueUrl", owner, signedBy("444455556666"))).text);
    assert.match(found.QueueUrl, new RegExp(`/111122223333/${QueueName}$`));
  });

  scenario("a caller without a signature is in the default account and region", async (world) => {
    const name = freshName();
    await exchange(world.endpoint, { path: `/?Action=CreateQueue&QueueName=${name}`, method: "GET" });
    const signed = await json(world.endpoint, "GetQueueUrl", { QueueName: name }, signedBy("test"));
    assert.equal(signed.status, 200);
  });

  scenario("the sender id is the same for one access key and differs between two", async (world) => {
    const queue = await world.queue();
    const senders: string[] = [];
    for (const key of ["AKIAONE", "AKIATWO", "AKIAONE"]) {
      await json(world.endpoint, "SendMessage", { QueueUrl: queue.url, MessageBody: "m" }, signedBy(key));
      const { Attributes, ...message } = await queue.receiveOne();
      senders.push(Attributes?.SenderId ?? "");
      await queue.delete(message);
    }
    assert.equal(senders[0], senders[2]);
    assert.notEqual(senders[0], senders[1]);
    for (const sender of senders) assert.match(sender, /^AIDA/);
  });
});
