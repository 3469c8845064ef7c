// Invoke and wait for the answer (fanout.md C9).

import assert from "node:assert/strict";
import { answerOf, assertLambdaRefused, createFunction, lambdaOf } from "../lambda-client.ts";
import { ACCOUNT, REGION, scenarios } from "../world.ts";

scenarios("Lambda invoke", (scenario) => {
  scenario("a function answers, and the end of its log can be asked for", async (world) => {
    const lambda = lambdaOf(world);
    const source =
      "export const handler = async (event) => { console.log('seen', event.n); return { twice: 2 * event.n }; };";
    const FunctionName = await createFunction(world, source);
    const given = { FunctionName, Payload: Buffer.from('{"n":21}'), LogType: "Tail" as const };
    const answered = await lambda.invoke(given);
    assert.equal(answered.StatusCode, 200);
    assert.equal(answered.FunctionError, undefined);
    assert.equal(answered.ExecutedVersion, "$LATEST");
    assert.deepEqual(answerOf(answered), { twice: 42 });
    const log = Buffer.from(answered.LogResult ?? "", "base64").toString();
    assert.match(log, /START RequestId: .*seen 21.*END RequestId: .*REPORT RequestId: /s);
    assert.equal((await lambda.invoke({ FunctionName, Payload: Buffer.from("{}") })).LogResult, undefined);
  });

  scenario("a dry run runs nothing, and what is no JSON is refused", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world, "export const handler = async () => { throw new Error('ran'); };");
    const dry = await lambda.invoke({ FunctionName, InvocationType: "DryRun" });
    assert.equal(dry.StatusCode, 204);
    assert.equal(dry.FunctionError, undefined);
    await assertLambdaRefused(
      lambda.invoke({ FunctionName, Payload: Buffer.from("frog") }),
      "InvalidRequestContentException",
      /^Could not parse request body into json: Unrecognized token 'frog'/,
    );
    await assertLambdaRefused(
      lambda.invoke({ FunctionName: "absent" }),
      "ResourceNotFoundException",
      `Function not found: arn:aws:lambda:${REGION}:${ACCOUNT}:function:absent:$LATEST`,
      404,
    );
    const long = Buffer.from(JSON.stringify("x".repeat(6 * 1024 * 1024)));
    await assertLambdaRefused(
      lambda.invoke({ FunctionName, Payload: long }),
      "RequestTooLargeException",
      undefined,
      413,
    );
  });

  scenario("what a function throws is its answer, and so is its end", async (world) => {
    const lambda = lambdaOf(world);
    const throwing = await createFunction(
      world,
      "export const handler = async () => { throw new TypeError('a frog'); };",
    );
    const thrown = await lambda.invoke({ FunctionName: throwing });
    assert.equal(thrown.StatusCode, 200);
    assert.equal(thrown.FunctionError, "Unhandled");
    assert.equal(answerOf(thrown).errorType, "TypeError");
    assert.equal(answerOf(thrown).errorMessage, "a frog");
    const ending = await createFunction(world, "export const handler = async () => process.exit(127);");
    const ended = await lambda.invoke({ FunctionName: ending });
    assert.equal(ended.FunctionError, "Unhandled");
    assert.equal(answerOf(ended).errorType, "Runtime.ExitError");
    assert.match(answerOf(ended).errorMessage, /^RequestId: .* Error: Runtime exited with error: exit status 127$/);
    const silent = await createFunction(world, "export const handler = async () => {};");
    assert.equal(answerOf(await lambda.invoke({ FunctionName: silent })), null);
  });

  scenario("a function with no reserved concurrency left is throttled", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world);
    await lambda.putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 });
    const throttled = await lambda.invoke({ FunctionName }).then(
      () => assert.fail("it ran"),
      (error) => error,
    );
    assert.equal(throttled.name, "TooManyRequestsException");
    assert.equal(throttled.message, "Rate Exceeded.");
    assert.equal(throttled.Reason, "ReservedFunctionConcurrentInvocationLimitExceeded");
    assert.equal(throttled.$metadata.httpStatusCode, 429);
    assert.equal((await lambda.getFunctionConcurrency({ FunctionName })).ReservedConcurrentExecutions, 0);
    await lambda.deleteFunctionConcurrency({ FunctionName });
    assert.equal((await lambda.getFunctionConcurrency({ FunctionName })).ReservedConcurrentExecutions, undefined);
    assert.equal((await lambda.invoke({ FunctionName })).StatusCode, 200);
  });

  scenario("new code and new settings hold for the next invocation", async (world) => {
    const lambda = lambdaOf(world);
    const { zipOf } = await import("../lambda-client.ts");
    const FunctionName = await createFunction(world, "export const handler = async () => process.env.WORD ?? 'none';");
    assert.equal(answerOf(await lambda.invoke({ FunctionName })), "none");
    await lambda.updateFunctionConfiguration({ FunctionName, Environment: { Variables: { WORD: "frog" } } });
    assert.equal(answerOf(await lambda.invoke({ FunctionName })), "frog");
    const ZipFile = zipOf("export const handler = async () => 'new';");
    await lambda.updateFunctionCode({ FunctionName, ZipFile });
    assert.equal(answerOf(await lambda.invoke({ FunctionName })), "new");
  });

  scenario("a function's own calls come back to this server, as its account", async (world) => {
    const source = `export const handler = async () => {
      const { AWS_ENDPOINT_URL: url, AWS_REGION: region, AWS_ACCESS_KEY_ID: key } = process.env;
      const answer = await fetch(url + "/_millpond/health");
      return { status: answer.status, region, key };
    };`;
    const FunctionName = await createFunction(world, source);
    const answered = answerOf(await lambdaOf(world).invoke({ FunctionName }));
    assert.deepEqual(answered, { status: 200, region: REGION, key: ACCOUNT });
  });

  scenario("a runtime that this machine does not have is told when it would run", async (world) => {
    const FunctionName = await createFunction(world, "", { Runtime: "java21" });
    await assertLambdaRefused(
      lambdaOf(world).invoke({ FunctionName }),
      "InvalidRuntimeException",
      /^Runtime java21 cannot be run on this machine/,
      502,
    );
  });
});
