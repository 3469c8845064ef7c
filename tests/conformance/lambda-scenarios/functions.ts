// Functions: made, shown, changed, deleted; versions, aliases, policies, tags.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { answerOf, assertLambdaRefused, createFunction, ECHO, lambdaOf, ROLE, zipOf } from "../lambda-client.ts";
import { ACCOUNT, freshName, REGION, scenarios } from "../world.ts";

function arnOf(name: string, qualifier?: string): string {
  const arn = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
  return qualifier === undefined ? arn : `${arn}:${qualifier}`;
}

const GIVEN = { Runtime: "nodejs20.x" as const, Handler: "index.handler", Role: ROLE };

scenarios("Lambda functions", (scenario) => {
  scenario("a function is shown as it was made, by any of its names", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = freshName("-function");
    const ZipFile = zipOf(ECHO);
    const made = await lambda.createFunction({
      ...GIVEN,
      FunctionName,
      Code: { ZipFile },
      Timeout: 7,
      Environment: { Variables: { A: "b" } },
      Tags: { team: "pond" },
    });
    const CodeSha256 = createHash("sha256").update(ZipFile).digest("base64");
    assert.equal(made.FunctionArn, arnOf(FunctionName));
    assert.equal(made.CodeSha256, CodeSha256);
    assert.equal(made.CodeSize, ZipFile.length);
    assert.equal(made.Timeout, 7);
    assert.equal(made.MemorySize, 128);
    assert.equal(made.Version, "$LATEST");
    assert.equal(made.State, "Active");
    assert.deepEqual(made.Environment, { Variables: { A: "b" } });
    assert.match(made.LastModified ?? "", /^2026-01-\d\dT\d\d:\d\d:\d\d\.000\+0000$/);
    for (const name of [FunctionName, arnOf(FunctionName), `${ACCOUNT}:function:${FunctionName}`]) {
      const { Configuration, Tags, Code } = await lambda.getFunction({ FunctionName: name });
      assert.equal(Configuration?.CodeSha256, CodeSha256);
      assert.deepEqual(Tags, { team: "pond" });
      const code = await fetch(Code?.Location as string);
      assert.deepEqual(Buffer.from(await code.arrayBuffer()), ZipFile);
    }
    const latest = await lambda.getFunctionConfiguration({ FunctionName, Qualifier: "$LATEST" });
    assert.equal(latest.FunctionArn, arnOf(FunctionName, "$LATEST"));
    assert.equal((await lambda.getFunctionCodeSigningConfig({ FunctionName })).CodeSigningConfigArn, "");
    await lambda.deleteFunction({ FunctionName });
    await assertLambdaRefused(
      lambda.getFunction({ FunctionName }),
      "ResourceNotFoundException",
      `Function not found: ${arnOf(FunctionName)}`,
      404,
    );
  });

  scenario("what cannot be made is refused in AWS's words", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world);
    const create = (settings: object) =>
      lambda.createFunction({ ...GIVEN, FunctionName: freshName("-no"), Code: { ZipFile: zipOf(ECHO) }, ...settings });
    await assertLambdaRefused(
      create({ FunctionName }),
      "ResourceConflictException",
      `Function already exist: ${FunctionName}`,
      409,
    );
    await assertLambdaRefused(
      create({ Timeout: 901 }),
      "ValidationException",
      "1 validation error detected: Value '901' at 'timeout' failed to satisfy constraint: Member must have value less than or equal to 900",
    );
    await assertLambdaRefused(
      create({ Code: { ZipFile: Buffer.from("frog") } }),
      "InvalidParameterValueException",
      "Could not unzip uploaded file. Please check your file, then try to upload again.",
    );
    await assertLambdaRefused(
      create({ Code: { S3Bucket: "b", S3Key: "k" } }),
      "InvalidParameterValueException",
      /does not offer code from S3/,
    );
    await assertLambdaRefused(
      create({ Runtime: "cobol" }),
      "InvalidParameterValueException",
      /^Value cobol at 'runtime'/,
    );
    await assertLambdaRefused(
      create({ Environment: { Variables: { AWS_REGION: "x" } } }),
      "InvalidParameterValueException",
      /reserved keys.*AWS_REGION$/,
    );
    await assertLambdaRefused(create({ FunctionName: "a b" }), "ValidationException", /at 'functionName' failed/);
    await assertLambdaRefused(create({ Role: "frog" }), "ValidationException", /^1 validation error.*at 'role' failed/);
  });

  scenario("functions are listed in pages, in the order of their names", async (world) => {
    const lambda = lambdaOf(world);
    const made = [await createFunction(world), await createFunction(world), await createFunction(world)];
    const seen: string[] = [];
    let Marker: string | undefined;
    do {
      const page = await lambda.listFunctions({ MaxItems: 2, ...(Marker === undefined ? {} : { Marker }) });
      assert.ok((page.Functions ?? []).length <= 2);
      seen.push(...(page.Functions ?? []).map((each) => each.FunctionName as string));
      Marker = page.NextMarker;
    } while (Marker !== undefined);
    assert.deepEqual(seen, [...seen].sort());
    for (const name of made) assert.ok(seen.includes(name));
  });

  scenario("a stale revision is refused", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world);
    const { RevisionId } = await lambda.getFunctionConfiguration({ FunctionName });
    const changed = await lambda.updateFunctionConfiguration({ FunctionName, Timeout: 5, RevisionId });
    assert.equal(changed.Timeout, 5);
    assert.notEqual(changed.RevisionId, RevisionId);
    await assertLambdaRefused(
      lambda.updateFunctionCode({ FunctionName, ZipFile: zipOf(ECHO), RevisionId }),
      "PreconditionFailedException",
      /^The Revision Id provided does not match the latest Revision Id/,
      412,
    );
  });

  scenario("a published version stays as it is, and an alias leads to it", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world, "export const handler = async () => 1;");
    const first = await lambda.publishVersion({ FunctionName, Description: "one" });
    assert.equal(first.Version, "1");
    assert.equal(first.FunctionArn, arnOf(FunctionName, "1"));
    assert.equal((await lambda.publishVersion({ FunctionName })).Version, "1", "nothing has changed");
    await world.advance(1);
    const ZipFile = zipOf("export const handler = async () => 2;");
    assert.equal((await lambda.updateFunctionCode({ FunctionName, ZipFile, Publish: true })).Version, "2");
    await lambda.createAlias({ FunctionName, Name: "live", FunctionVersion: "1" });
    const live = await lambda.invoke({ FunctionName, Qualifier: "live" });
    assert.equal(answerOf(live), 1);
    assert.equal(live.ExecutedVersion, "1");
    assert.equal(answerOf(await lambda.invoke({ FunctionName: `${FunctionName}:live` })), 1);
    assert.equal(answerOf(await lambda.invoke({ FunctionName })), 2);
    await lambda.updateAlias({ FunctionName, Name: "live", FunctionVersion: "2" });
    assert.equal(answerOf(await lambda.invoke({ FunctionName: arnOf(FunctionName, "live") })), 2);
    const { Versions = [] } = await lambda.listVersionsByFunction({ FunctionName });
    assert.deepEqual(
      Versions.map(({ Version }) => Version),
      ["$LATEST", "1", "2"],
    );
    assert.equal((await lambda.listAliases({ FunctionName })).Aliases?.[0]?.AliasArn, arnOf(FunctionName, "live"));
    await assertLambdaRefused(
      lambda.deleteFunction({ FunctionName, Qualifier: "2" }),
      "ResourceConflictException",
      /is referenced by these aliases/,
      409,
    );
    await lambda.deleteAlias({ FunctionName, Name: "live" });
    await assertLambdaRefused(
      lambda.getAlias({ FunctionName, Name: "live" }),
      "ResourceNotFoundException",
      /alias/,
      404,
    );
    await lambda.deleteFunction({ FunctionName, Qualifier: "1" });
    await assertLambdaRefused(
      lambda.invoke({ FunctionName, Qualifier: "1" }),
      "ResourceNotFoundException",
      `Function not found: ${arnOf(FunctionName, "1")}`,
      404,
    );
  });

  scenario("permissions make the resource policy", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world);
    const add = { FunctionName, StatementId: "s", Action: "lambda:InvokeFunction" };
    await assertLambdaRefused(lambda.getPolicy({ FunctionName }), "ResourceNotFoundException", undefined, 404);
    const SourceArn = `arn:aws:sns:${REGION}:${ACCOUNT}:pond`;
    const added = await lambda.addPermission({ ...add, Principal: "sns.amazonaws.com", SourceArn });
    const statement = {
      Sid: "s",
      Effect: "Allow",
      Principal: { Service: "sns.amazonaws.com" },
      Action: "lambda:InvokeFunction",
      Resource: arnOf(FunctionName),
      Condition: { ArnLike: { "AWS:SourceArn": SourceArn } },
    };
    assert.deepEqual(JSON.parse(added.Statement as string), statement);
    const { Policy } = await lambda.getPolicy({ FunctionName });
    assert.deepEqual(JSON.parse(Policy as string), { Version: "2012-10-17", Id: "default", Statement: [statement] });
    await assertLambdaRefused(
      lambda.addPermission({ ...add, Principal: "111122223333" }),
      "ResourceConflictException",
      /^The statement id \(s\) provided already exists/,
      409,
    );
    await assertLambdaRefused(
      lambda.addPermission({ ...add, StatementId: "t", Principal: "a frog" }),
      "InvalidParameterValueException",
      "The provided principal was invalid. Please check the principal and try again.",
    );
    await lambda.removePermission({ FunctionName, StatementId: "s" });
    await assertLambdaRefused(
      lambda.removePermission({ FunctionName, StatementId: "s" }),
      "ResourceNotFoundException",
      "Statement s is not found in resource policy.",
      404,
    );
  });

  scenario("tags are added, overwritten and taken off", async (world) => {
    const lambda = lambdaOf(world);
    const Resource = arnOf(await createFunction(world, ECHO, { Tags: { a: "1" } }));
    await lambda.tagResource({ Resource, Tags: { a: "2", b: "3" } });
    await lambda.untagResource({ Resource, TagKeys: ["b", "none"] });
    assert.deepEqual((await lambda.listTags({ Resource })).Tags, { a: "2" });
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ""]));
    await assertLambdaRefused(
      lambda.tagResource({ Resource, Tags: many }),
      "InvalidParameterValueException",
      "Number of tags exceeds resource tag limit.",
    );
  });

  scenario("what becomes of events is configured for each qualifier", async (world) => {
    const lambda = lambdaOf(world);
    const FunctionName = await createFunction(world);
    await assertLambdaRefused(
      lambda.getFunctionEventInvokeConfig({ FunctionName }),
      "ResourceNotFoundException",
      `The function ${arnOf(FunctionName, "$LATEST")} doesn't have an EventInvokeConfig`,
      404,
    );
    const config = await lambda.putFunctionEventInvokeConfig({ FunctionName, MaximumRetryAttempts: 1 });
    assert.equal(config.MaximumRetryAttempts, 1);
    assert.equal(config.FunctionArn, arnOf(FunctionName, "$LATEST"));
    assert.equal(config.LastModified?.getTime(), world.nowMs());
    await lambda.updateFunctionEventInvokeConfig({ FunctionName, MaximumEventAgeInSeconds: 60 });
    const both = await lambda.getFunctionEventInvokeConfig({ FunctionName });
    assert.deepEqual([both.MaximumRetryAttempts, both.MaximumEventAgeInSeconds], [1, 60]);
    const itself = lambda.putFunctionEventInvokeConfig({
      FunctionName,
      DestinationConfig: { OnFailure: { Destination: arnOf(FunctionName) } },
    });
    await assertLambdaRefused(
      itself,
      "InvalidParameterValueException",
      "You can't specify the function as a destination for itself.",
    );
    assert.equal((await lambda.listFunctionEventInvokeConfigs({ FunctionName })).FunctionEventInvokeConfigs?.length, 1);
    await lambda.deleteFunctionEventInvokeConfig({ FunctionName });
    await assertLambdaRefused(
      lambda.deleteFunctionEventInvokeConfig({ FunctionName }),
      "ResourceNotFoundException",
      undefined,
      404,
    );
  });

  scenario("a zip of many megabytes is taken, and other long requests are not", async (world) => {
    const { makeZip } = await import("../../functions/make-zip.ts");
    const { randomBytes } = await import("node:crypto");
    const padding = randomBytes(12 * 1024 * 1024).toString("latin1");
    const ZipFile = makeZip([
      { path: "index.mjs", text: "export const handler = async () => 'large';" },
      { path: "padding.bin", text: padding, stored: true },
    ]);
    const FunctionName = await createFunction(world, "", { Code: { ZipFile } });
    assert.equal(answerOf(await lambdaOf(world).invoke({ FunctionName })), "large");
    const long = lambdaOf(world).invoke({ FunctionName, Payload: Buffer.alloc(9 * 1024 * 1024, "1") });
    await assertLambdaRefused(long, "RequestEntityTooLargeException", undefined, 413);
  });

  scenario("an operation that is not offered says so", async (world) => {
    await assertLambdaRefused(lambdaOf(world).listLayers({}), "UnknownOperationException", /no operation/, 404);
  });
});
