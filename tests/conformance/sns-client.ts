// The SNS client of a world: the current SDK, which speaks Query as all of them do.

import { SNS } from "@aws-sdk/client-sns";
import { asSqsError } from "./sqs-client.ts";
import type { World } from "./world.ts";
import { assertRefused } from "./world.ts";

const clients = new WeakMap<World, SNS>();

export function snsOf(world: World): SNS {
  let client = clients.get(world);
  if (client === undefined) {
    client = new SNS({
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

/** As `assertRefused`, for calls of the SNS client. */
export function assertSnsRefused(
  call: Promise<unknown>,
  code: string,
  message?: string | RegExp,
  status = 400,
): Promise<void> {
  const translated = call.catch((error: unknown) => {
    throw asSqsError(error);
  });
  return assertRefused(translated, code, message, status);
}
