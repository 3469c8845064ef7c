// SNS to a real HTTP endpoint: confirmation, notification, signatures that a validator of AWS's own accepts, and what
// the network rules forbid.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { CreateTopicCommand, PublishCommand, SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import type { LogSink, ServerOptions } from "../../src/server/index.ts";
import { startServer } from "../../src/server/index.ts";
import { fakeMailServer } from "../support/fake-mail-server.ts";
import { projectRoot, scratchFolder } from "../support/project.ts";

interface Validator {
  validate(message: string, done: (error: Error | null, message?: object) => void): void;
}

const MessageValidator = createRequire(import.meta.url)("sns-validator") as new (host?: RegExp) => Validator;
const FOLDER = join(projectRoot, "tests", "support", "tls");
const tlsCert = join(FOLDER, "certificate.pem");
const tlsKey = join(FOLDER, "key.pem");
const ca = readFileSync(tlsCert, "utf8");

interface Delivery {
  headers: http.IncomingHttpHeaders;
  text: string;
  message: Record<string, string>;
}

/** What arrives, one by one, each answered with 200. */
async function endpoint(t: TestContext) {
  const arrived: Delivery[] = [];
  let wake = () => {};
  const server = http.createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    arrived.push({ headers: request.headers, text, message: JSON.parse(text) });
    response.end();
    wake();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://ann:secret@127.0.0.1:${(server.address() as AddressInfo).port}/inbox`,
    async next(): Promise<Delivery> {
      while (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return arrived.shift() as Delivery;
    },
    arrived,
  };
}

async function world(t: TestContext, options: ServerOptions = {}) {
  const server = await startServer({ port: 0, memory: true, tlsCert, tlsKey, ...options });
  const agent = new https.Agent({ ca });
  const client = new SNSClient({
    endpoint: server.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    requestHandler: { httpsAgent: agent },
  });
  t.after(async () => {
    client.destroy();
    agent.destroy();
    await server.stop();
  });
  return { server, client };
}

function validated(text: string, host?: RegExp): Promise<object | undefined> {
  return new Promise((resolve, reject) => {
    new MessageValidator(host).validate(text, (error, message) => (error === null ? resolve(message) : reject(error)));
  });
}

async function get(url: string): Promise<number | undefined> {
  const request = https.get(url, { ca, agent: false });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  await response.resume().toArray();
  return response.statusCode;
}

for (const version of ["1", "2"]) {
  test(`an endpoint confirms, and finds signatures of version ${version} good`, { timeout: 60_000 }, async (t) => {
    // The validator asks for certificates with the global agent.
    const { ca: before } = https.globalAgent.options;
    https.globalAgent.options.ca = ca;
    t.after(() => {
      https.globalAgent.options.ca = before;
    });
    const { client, server } = await world(t);
    const inbox = await endpoint(t);
    const attributes = { SignatureVersion: version };
    const { TopicArn } = await client.send(
      new CreateTopicCommand({ Name: `levels-${version}`, Attributes: attributes }),
    );
    await client.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: inbox.url }));

    const asked = await inbox.next();
    assert.equal(asked.headers["x-amz-sns-message-type"], "SubscriptionConfirmation");
    assert.equal(asked.headers.authorization, `Basic ${Buffer.from("ann:secret").toString("base64")}`);
    const host = /^127\.0\.0\.1:\d+$/;
    assert.ok(await validated(asked.text, host));
    assert.ok(asked.message["SubscribeURL"]?.startsWith(`${server.endpoint}/?Action=ConfirmSubscription`));
    assert.equal(await get(asked.message["SubscribeURL"] ?? ""), 200);

    await client.send(new PublishCommand({ TopicArn, Subject: "Level", Message: "Süß\nund hoch" }));
    const told = await inbox.next();
    assert.equal(told.message["Message"], "Süß\nund hoch");
    assert.equal(told.message["SignatureVersion"], version);
    assert.equal(told.message["SigningCertURL"], asked.message["SigningCertURL"]);
    assert.ok(await validated(told.text, host));
    const forged = JSON.stringify({ ...told.message, Message: "low" });
    await assert.rejects(validated(forged, host), /signature is invalid/);
    await assert.rejects(validated(told.text), /invalid domain/, "without the setting nobody but AWS is trusted");
  });
}

test("the check by hand in docs/sns.md works, over http too", { timeout: 60_000 }, async (t) => {
  const page = readFileSync(join(projectRoot, "docs", "sns.md"), "utf8");
  const code = /```js\n(import [^`]*(?:`[^`\n]+`[^`]*)*)\n```/.exec(page)?.[1];
  assert.ok(code !== undefined, "the page has the example");
  const file = join(scratchFolder(t, "genuine"), "genuine.mjs");
  writeFileSync(file, code);
  const { isGenuine } = (await import(pathToFileURL(file).href)) as {
    isGenuine: (message: object, serverUrl: string) => Promise<boolean>;
  };
  const { client, server } = await world(t, { tlsCert: undefined, tlsKey: undefined });
  const inbox = await endpoint(t);
  const { TopicArn } = await client.send(new CreateTopicCommand({ Name: "levels" }));
  await client.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: inbox.url }));
  const { message } = await inbox.next();
  assert.equal(await isGenuine(message, server.endpoint), true);
  assert.equal(await isGenuine({ ...message, Token: "other" }, server.endpoint), false);
  assert.equal(await isGenuine(message, "http://127.0.0.1:1"), false);
});

test("an endpoint that the settings do not allow hears nothing, and the log says why", {
  timeout: 60_000,
}, async (t) => {
  let said = (_: string) => {};
  const log: LogSink = (_, text) => said(text);
  const { client } = await world(t, { outboundDeny: "127.0.0.0/8", log });
  const inbox = await endpoint(t);
  const { TopicArn } = await client.send(new CreateTopicCommand({ Name: "levels" }));
  const refused = new Promise<string>((resolve) => {
    said = (text) => {
      if (text.includes("outbound-deny")) resolve(text);
    };
  });
  await client.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: inbox.url }));
  assert.match(await refused, /does not allow connections to 127\.0\.0\.1/);
  assert.equal(inbox.arrived.length, 0);
});

test("a reader of mail confirms with the link in it, and gets what is published", { timeout: 60_000 }, async (t) => {
  const fake = await fakeMailServer(t);
  const smtpUrl = `smtp://127.0.0.1:${fake.port}`;
  const { client } = await world(t, { smtpUrl, mailFrom: "pond@example.com" });
  const { TopicArn } = await client.send(
    new CreateTopicCommand({ Name: "levels", Attributes: { DisplayName: "Pond" } }),
  );
  await client.send(new SubscribeCommand({ TopicArn, Protocol: "email", Endpoint: "ann@example.org" }));
  const asked = await fake.nextMail();
  assert.ok(asked.headers.includes("To: ann@example.org"));
  const link = /https:\S+ConfirmSubscription\S+/.exec(asked.text)?.[0];
  assert.equal(await get(link ?? ""), 200);
  await client.send(new PublishCommand({ TopicArn, Subject: "Level", Message: "Süß\nund hoch" }));
  const told = await fake.nextMail();
  assert.ok(told.headers.includes("Subject: Level"));
  assert.ok(told.headers.includes('From: "Pond" <pond@example.com>'));
  assert.ok(told.text.startsWith("Süß\r\nund hoch\r\n"));
});

test("notifications are not signed when the settings say so", { timeout: 60_000 }, async (t) => {
  const { client } = await world(t, { snsSigning: false });
  const inbox = await endpoint(t);
  const { TopicArn } = await client.send(new CreateTopicCommand({ Name: "levels" }));
  await client.send(new SubscribeCommand({ TopicArn, Protocol: "http", Endpoint: inbox.url }));
  const { message } = await inbox.next();
  assert.equal(message["Type"], "SubscriptionConfirmation");
  assert.equal("Signature" in message, false);
});
