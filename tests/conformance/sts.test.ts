// Who one is, as tools ask before they begin: through AWS's SDK and by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { startServer } from "../../src/server/index.ts";
import { elementText, exchange, FORM_TYPE, query } from "./http.ts";

test("a caller is the root of the account that its access key spells, else of the default account", async () => {
  const server = await startServer({ port: 0, memory: true, logLevel: "error" });
  try {
    for (const [accessKeyId, account] of [
      ["123456789012", "123456789012"],
      ["test", "000000000000"],
    ] as const) {
      const credentials = { accessKeyId, secretAccessKey: "test" };
      const client = new STSClient({ endpoint: server.endpoint, region: "eu-west-1", credentials });
      const { $metadata, ...identity } = await client.send(new GetCallerIdentityCommand({}));
      assert.deepEqual(identity, { UserId: account, Account: account, Arn: `arn:aws:iam::${account}:root` });
      assert.match($metadata.requestId ?? "", /^[0-9a-f-]{36}$/);
      client.destroy();
    }
  } finally {
    await server.stop();
  }
});

test("a request that nobody signed is told by its version or its action, and by GET too", async () => {
  const server = await startServer({ port: 0, memory: true, logLevel: "error" });
  try {
    const fields = { Action: "GetCallerIdentity", Version: "2011-06-15" };
    const answer = await query(server.endpoint, fields);
    assert.equal(answer.status, 200);
    assert.match(answer.text, /<GetCallerIdentityResponse xmlns="https:\/\/sts\.amazonaws\.com\/doc\/2011-06-15\/">/);
    assert.equal(elementText(answer, "Account"), "000000000000");
    const got = await exchange(server.endpoint, { method: "GET", path: `/?${new URLSearchParams(fields)}` });
    assert.equal(elementText(got, "Arn"), "arn:aws:iam::000000000000:root");
    const bare = { headers: { "content-type": FORM_TYPE }, body: "Action=GetCallerIdentity" };
    assert.equal(elementText(await exchange(server.endpoint, bare), "UserId"), "000000000000");
  } finally {
    await server.stop();
  }
});

test("what STS does beside it is refused as an action that is not known", async () => {
  const server = await startServer({ port: 0, memory: true, logLevel: "error" });
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new STSClient({ endpoint: server.endpoint, region: "us-east-1", credentials });
  try {
    const assume = new AssumeRoleCommand({ RoleArn: "arn:aws:iam::000000000000:role/r", RoleSessionName: "s" });
    await assert.rejects(client.send(assume), {
      name: "InvalidAction",
      message: "Could not find operation AssumeRole for version 2011-06-15",
    });
  } finally {
    client.destroy();
    await server.stop();
  }
});
