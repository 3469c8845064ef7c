// The runtime clients that AWS's own containers run, as custom runtimes: that they work shows that the Runtime API is
// Lambda's and not only what our own clients take it for.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { answer, openWorld, ran } from "../functions/world.ts";
import { projectRoot } from "../support/project.ts";
import { installed, isMissing } from "./tools.ts";

const world = openWorld();

test("awslambdaric runs a Python function", async (t) => {
  const python = installed("awslambdaric", "python");
  if (isMissing(t, python, ["awslambdaric"])) return;
  world.write("python/bootstrap", `#!/bin/sh\nexec ${python} -m awslambdaric "$_HANDLER"\n`, 0o755);
  world.write(
    "python/app.py",
    "def handler(event, context):\n    print('here')\n    return [context.aws_request_id, 1 // event]\n",
  );
  const folder = join(world.folder, "python");
  const running = world.start({ form: "folder", folder, runtime: "provided.al2023", handler: "app.handler" });
  const first = await ran(running, 1, { requestId: "one" });
  assert.deepEqual(answer(first), ["one", 1]);
  assert.match(Buffer.from(first.logTail, "base64").toString(), /START RequestId: one.*\nhere\nEND/);
  const error = await ran(running, 0);
  assert.deepEqual([error.functionError, error.errorType, error.coldStart], ["Unhandled", "ZeroDivisionError", false]);
  assert.equal(answer(await ran(running, 1, { requestId: "two" }))[0], "two");
});

test("aws-lambda-ric runs a Node function", async (t) => {
  const client = join(projectRoot, ".tools", "aws-lambda-ric", "node_modules", "aws-lambda-ric");
  if (isMissing(t, join(client, "dist", "rapid-client.node"))) return;
  const start = `#!/bin/sh\nexec ${process.execPath} ${client}/bin/index.mjs "$_HANDLER"\n`;
  world.write("node/bootstrap", start, 0o755);
  world.write(
    "node/app.mjs",
    `export const handler = async (event, context) => {
      if (event === 0) throw new RangeError("zero");
      return [context.awsRequestId, event];
    };`,
  );
  const folder = join(world.folder, "node");
  const running = world.start({ form: "folder", folder, runtime: "provided.al2023", handler: "app.handler" });
  assert.deepEqual(answer(await ran(running, 1, { requestId: "one" })), ["one", 1]);
  const error = await ran(running, 0);
  assert.deepEqual([error.functionError, error.errorType, error.coldStart], ["Unhandled", "RangeError", false]);
  assert.equal(answer(await ran(running, 1, { requestId: "two" }))[0], "two");
});
