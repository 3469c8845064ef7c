// The Lambda client of a world, code to upload, and what its errors say.

import assert from "node:assert/strict";
import { Lambda } from "@aws-sdk/client-lambda";
import { makeZip } from "../functions/make-zip.ts";
import { freshName, type World } from "./world.ts";

export const ROLE = "arn:aws:iam::000000000000:role/functions";

const clients = new WeakMap<World, Lambda>();

export function lambdaOf(world: World): Lambda {
  let client = clients.get(world);
  if (client === undefined) {
    client = new Lambda({
      endpoint: world.endpoint,
      region: "us-east-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
      // A retry would hide what the server answered first.
      maxAttempts: 1,
    });
    clients.set(world, client);
  }
  return client;
}

/** An archive with `index.mjs`. */
export function zipOf(source: string): Buffer {
  return makeZip([{ path: "index.mjs", text: source }]);
}

export const ECHO = "export const handler = async (event) => ({ event });";

/** A Node function with this source; gives its name. */
export async function createFunction(world: World, source = ECHO, settings: object = {}): Promise<string> {
  const FunctionName = freshName("-function");
  await lambdaOf(world).createFunction({
    FunctionName,
    Runtime: "nodejs20.x",
    Handler: "index.handler",
    Role: ROLE,
    Code: { ZipFile: zipOf(source) },
    ...settings,
  });
  return FunctionName;
}

export async function assertLambdaRefused(
  call: Promise<unknown>,
  code: string,
  message?: string | RegExp,
  status = 400,
): Promise<void> {
  const error = (await call.then(
    (value) => assert.fail(`expected ${code}, got ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )) as { name: string; message: string; $metadata?: { httpStatusCode?: number } };
  if (error instanceof assert.AssertionError) throw error;
  assert.deepEqual({ code: error.name, status: error.$metadata?.httpStatusCode }, { code, status }, error.message);
  if (typeof message === "string") assert.equal(error.message, message);
  else if (message !== undefined) assert.match(error.message, message);
}

// biome-ignore lint/suspicious/noExplicitAny: what a function answers has any shape
export function answerOf({ Payload }: { Payload?: Uint8Array }): any {
  return JSON.parse(Buffer.from(Payload ?? []).toString());
}
