// Bodies that are large, deep or broken: AWS's error where it has one, no crash, and the next request works.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { elementText, exchange, FORM_TYPE, get, json, query } from "./http.ts";
import { scenariosOnOneServer } from "./world.ts";

const MiB = 1024 * 1024;

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

scenariosOnOneServer((scenario) => {
  scenario("a mebibyte of text that is not ASCII passes percent-encoded and as JSON escapes", async (world) => {
    const queue = await world.queue();
    const body = `${"水".repeat(MiB / 3)}x`; // three bytes each, nine percent-encoded
    assert.equal(Buffer.byteLength(body), MiB);
    const sent = await query(world.endpoint, { Action: "SendMessage", QueueUrl: queue.url, MessageBody: body });
    assert.equal(elementText(sent, "MD5OfMessageBody"), md5(body));
    const escaped = body.replaceAll("水", "\\u6c34");
    const document = `{"QueueUrl":"${queue.url}","MessageBody":"${escaped}"}`;
    const viaJson = await json(world.endpoint, "SendMessage", document);
    assert.equal(JSON.parse(viaJson.text).MD5OfMessageBody, md5(body));
    const ascii = "\\u0041".repeat(MiB);
    const longest = await json(world.endpoint, "SendMessage", `{"QueueUrl":"${queue.url}","MessageBody":"${ascii}"}`);
    assert.equal(longest.status, 200);
    for (const message of await queue.receive()) assert.equal(Buffer.byteLength(message.Body ?? ""), MiB);
  });

  scenario("a mebibyte of characters that XML escapes comes back whole", async (world) => {
    const queue = await world.queue();
    const body = "&<\r".repeat(MiB / 3);
    await json(world.endpoint, "SendMessage", { QueueUrl: queue.url, MessageBody: body });
    const answer = await query(world.endpoint, { Action: "ReceiveMessage", QueueUrl: queue.url });
    assert.equal(elementText(answer, "MD5OfBody"), md5(body));
    const escaped = (elementText(answer, "Body") ?? "").replaceAll(/&#(xD|13);/g, "\r").replaceAll("&lt;", "<");
    assert.equal(escaped.replaceAll("&amp;", "&"), body);
  });

  scenario("broken percent-encoding is refused and nothing is sent", async (world) => {
    const queue = await world.queue();
    const start = `Action=SendMessage&QueueUrl=${encodeURIComponent(queue.url)}&MessageBody=`;
    for (const broken of ["%", "%4", "%zz", "%ff", "%c3%28", "%ed%a0%80", "a%"]) {
      const headers = { "content-type": FORM_TYPE };
      const answer = await exchange(world.endpoint, { headers, body: start + broken });
      assert.ok(answer.status === 400 || answer.status === 404, `${broken}: ${answer.status}`);
      assert.ok(elementText(answer, "Code"));
    }
    const bytes = Buffer.concat([Buffer.from(start), Buffer.from([0xff, 0xfe])]);
    const answer = await exchange(world.endpoint, { headers: { "content-type": FORM_TYPE }, body: bytes });
    assert.ok(answer.status === 400 || answer.status === 404);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("plus means a space, and the first of two equal fields does not crash anything", async (world) => {
    const queue = await world.queue();
    const fields = `Action=SendMessage&QueueUrl=${queue.name}&MessageBody=a+b%2Bc&&=&x&MessageBody.1=no`;
    const answer = await exchange(world.endpoint, { headers: { "content-type": FORM_TYPE }, body: fields });
    assert.equal(answer.status, 200);
    assert.deepEqual(await queue.receiveBodies(), ["a b+c"]);
  });

  scenario("half a surrogate pair is an invalid character", async (world) => {
    const queue = await world.queue();
    for (const half of ["\\ud83d", "ok \\udc38 ok", "\\udc38\\ud83d"]) {
      const body = `{"QueueUrl":"${queue.url}","MessageBody":"${half}"}`;
      const answer = await json(world.endpoint, "SendMessage", body, { "x-amzn-query-mode": "true" });
      assert.equal(answer.status, 400);
      assert.equal(answer.headers["x-amzn-query-error"], "InvalidMessageContents;Sender");
    }
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("deep and wide JSON is answered, not suffered", async (world) => {
    const queue = await world.queue();
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const deepLists = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
    for (const value of [deep, deepLists]) {
      const ignored = await json(world.endpoint, "ListQueues", `{"Unknown":${value}}`);
      assert.ok([200, 400].includes(ignored.status));
      const wrong = await json(world.endpoint, "ListQueues", `{"QueueNamePrefix":${value}}`);
      assert.equal(wrong.status, 400);
    }
    const many = Array.from({ length: 100_000 }, (_, n) => ({ Id: `i${n}`, MessageBody: "m" }));
    const batch = await json(world.endpoint, "SendMessageBatch", { QueueUrl: queue.url, Entries: many });
    assert.equal(JSON.parse(batch.text).__type, "com.amazonaws.sqs#TooManyEntriesInBatchRequest");
    const tags = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, "v"]));
    assert.equal((await json(world.endpoint, "TagQueue", { QueueUrl: queue.url, Tags: tags })).status, 400);
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("a form with very many or very deep fields is answered", async (world) => {
    const headers = { "content-type": FORM_TYPE };
    const many = Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join("&");
    assert.ok((await exchange(world.endpoint, { headers, body: `Action=ListQueues&${many}` })).status < 500);
    const deep = `Action=ListQueues&${"a.1.".repeat(100_000)}b=1`;
    assert.ok((await exchange(world.endpoint, { headers, body: deep })).status < 500);
    const huge = "Action=GetQueueAttributes&QueueUrl=q&AttributeName.999999999999=All";
    assert.ok((await exchange(world.endpoint, { headers, body: huge })).status < 500);
  });

  scenario("a request over the limit is refused in its own protocol", async (world) => {
    const queue = await world.queue();
    const body = "x".repeat(9 * MiB);
    const viaJson = await json(world.endpoint, "SendMessage", `{"QueueUrl":"q","MessageBody":"${body}"}`);
    assert.ok(viaJson.status >= 400 && viaJson.status < 500);
    assert.equal(typeof JSON.parse(viaJson.text).__type, "string");
    const fields = { Action: "SendMessage", QueueUrl: queue.url, MessageBody: body };
    const viaQuery = await query(world.endpoint, fields);
    assert.ok(viaQuery.status >= 400 && viaQuery.status < 500);
    assert.ok(elementText(viaQuery, "Code"));
    assert.equal(await queue.counts(), "0/0/0");
  });

  scenario("a GET request may carry tens of kilobytes in its line", async (world) => {
    const queue = await world.queue();
    const MessageBody = "m".repeat(30_000);
    const answer = await get(world.endpoint, "/", { Action: "SendMessage", QueueUrl: queue.url, MessageBody });
    assert.equal(answer.status, 200);
    const tooLong = { Action: "SendMessage", QueueUrl: queue.url, MessageBody: "m".repeat(200_000) };
    assert.ok((await get(world.endpoint, "/", tooLong)).status >= 400);
    assert.equal(await queue.counts(), "1/0/0");
  });
});
