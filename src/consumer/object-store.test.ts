import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidMessage } from "./errors.ts";
import { s3ObjectStore } from "./object-store.ts";

class Command {
  readonly input: object;
  constructor(input: object) {
    this.input = input;
  }
}
class PutObjectCommand extends Command {}
class GetObjectCommand extends Command {}
class DeleteObjectCommand extends Command {}

test("an S3 client is used by its commands, and an object that is gone is no reason to try again", async () => {
  const sent: [string, object][] = [];
  const client = {
    async send(command: Command) {
      sent.push([command.constructor.name, command.input]);
      if (!(command instanceof GetObjectCommand)) return {};
      if ((command.input as { Key: string }).Key === "gone") throw Object.assign(new Error(), { name: "NoSuchKey" });
      return { Body: { transformToString: async () => "payload" } };
    },
  };
  const store = s3ObjectStore({ client, PutObjectCommand, GetObjectCommand, DeleteObjectCommand });
  await store.put("b", "k", "payload");
  assert.equal(await store.get("b", "k"), "payload");
  await store.delete("b", "k");
  await assert.rejects(store.get("b", "gone"), InvalidMessage);
  assert.deepEqual(sent.slice(0, 3), [
    ["PutObjectCommand", { Bucket: "b", Key: "k", Body: "payload" }],
    ["GetObjectCommand", { Bucket: "b", Key: "k" }],
    ["DeleteObjectCommand", { Bucket: "b", Key: "k" }],
  ]);
});
