// Event source mappings: made, shown, changed, deleted (fanout.md C2, C3).

import assert from "node:assert/strict";
import type { EventSourceMappingConfiguration } from "@aws-sdk/client-lambda";
import { assertLambdaRefused, createFunction, lambdaOf } from "../lambda-client.ts";
import { ACCOUNT, REGION, scenarios, type World } from "../world.ts";

const functionArn = (name: string) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;

async function stateOf(world: World, UUID: string): Promise<string | undefined> {
  await world.server.queues.settle();
  return (await lambdaOf(world).getEventSourceMapping({ UUID })).State;
}

scenarios("Lambda event source mappings", (scenario) => {
  scenario("a mapping is shown with what was not given, and reaches its states", async (world) => {
    const lambda = lambdaOf(world);
    const queue = await world.queue();
    const FunctionName = await createFunction(world);
    const made = await lambda.createEventSourceMapping({ FunctionName, EventSourceArn: queue.arn });
    const { UUID = "", $metadata, ...shown } = made;
    assert.equal($metadata.httpStatusCode, 202);
    assert.deepEqual(given(shown), {
      EventSourceMappingArn: `arn:aws:lambda:${REGION}:${ACCOUNT}:event-source-mapping:${UUID}`,
      EventSourceArn: queue.arn,
      FunctionArn: functionArn(FunctionName),
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 0,
      FunctionResponseTypes: [],
      LastModified: new Date(world.nowMs()),
      State: "Creating",
      StateTransitionReason: "USER_INITIATED",
    });
    await eventually(() => stateOf(world, UUID), "Enabled");
    assert.equal((await lambda.updateEventSourceMapping({ UUID, Enabled: false })).State, "Disabling");
    await eventually(() => stateOf(world, UUID), "Disabled");
    assert.equal((await lambda.updateEventSourceMapping({ UUID, Enabled: true, BatchSize: 5 })).State, "Enabling");
    await eventually(() => stateOf(world, UUID), "Enabled");
    const changed = await lambda.updateEventSourceMapping({
      UUID,
      ScalingConfig: { MaximumConcurrency: 3 },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      FilterCriteria: { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] },
    });
    assert.equal(changed.State, "Updating");
    assert.equal(changed.BatchSize, 5);
    assert.deepEqual(changed.ScalingConfig, { MaximumConcurrency: 3 });
    assert.deepEqual(changed.FilterCriteria, { Filters: [{ Pattern: '{"body":{"a":[1]}}' }] });
    await eventually(() => stateOf(world, UUID), "Enabled");
    const cleared = await lambda.updateEventSourceMapping({ UUID, ScalingConfig: {}, FilterCriteria: {} });
    assert.deepEqual([cleared.ScalingConfig ?? undefined, cleared.FilterCriteria ?? undefined], [undefined, undefined]);
    await eventually(() => stateOf(world, UUID), "Enabled");
    assert.equal((await lambda.deleteEventSourceMapping({ UUID })).State, "Deleting");
    const gone = async () => (await stateOf(world, UUID).catch((error) => error.name)) as string;
    await eventually(gone, "ResourceNotFoundException");
  });

  scenario("a mapping made disabled is disabled at once, and outlives its function", async (world) => {
    const lambda = lambdaOf(world);
    const queue = await world.queue();
    const FunctionName = await createFunction(world);
    const { UUID = "", State } = await lambda.createEventSourceMapping({
      FunctionName: `${FunctionName}:$LATEST`,
      EventSourceArn: queue.arn,
      Enabled: false,
      Tags: { a: "b" },
    });
    assert.equal(State, "Disabled");
    await lambda.deleteFunction({ FunctionName });
    assert.equal((await lambda.updateEventSourceMapping({ UUID, Enabled: false })).State, "Disabled");
    await assertLambdaRefused(
      lambda.updateEventSourceMapping({ UUID, Enabled: true }),
      "InvalidParameterValueException",
      "Function does not exist",
    );
    const left = await lambda.getEventSourceMapping({ UUID });
    assert.equal(left.FunctionArn, `${functionArn(FunctionName)}:$LATEST`);
    assert.deepEqual((await lambda.listTags({ Resource: left.EventSourceMappingArn as string })).Tags, { a: "b" });
  });

  scenario("mappings are listed by queue and by function", async (world) => {
    const lambda = lambdaOf(world);
    const [one, other] = [await world.queue(), await world.queue()];
    const FunctionName = await createFunction(world);
    for (const queue of [one, other]) {
      await lambda.createEventSourceMapping({ FunctionName, EventSourceArn: queue.arn, Enabled: false });
    }
    const byFunction = await lambda.listEventSourceMappings({ FunctionName, MaxItems: 1 });
    assert.equal(byFunction.EventSourceMappings?.length, 1);
    const rest = await lambda.listEventSourceMappings({ FunctionName, Marker: byFunction.NextMarker as string });
    assert.equal(rest.EventSourceMappings?.length, 1);
    assert.equal(rest.NextMarker ?? undefined, undefined);
    const byQueue = await lambda.listEventSourceMappings({ EventSourceArn: one.arn });
    assert.deepEqual(
      byQueue.EventSourceMappings?.map(({ EventSourceArn }) => EventSourceArn),
      [one.arn],
    );
  });

  scenario("what a mapping cannot be is refused in AWS's words", async (world) => {
    const lambda = lambdaOf(world);
    const queue = await world.queue({ VisibilityTimeout: "30" });
    const fifo = await world.fifo();
    const FunctionName = await createFunction(world);
    const slow = await createFunction(world, "", { Timeout: 60 });
    const create = (settings: object) =>
      lambda.createEventSourceMapping({ FunctionName, EventSourceArn: queue.arn, Enabled: false, ...settings });
    const refused = (settings: object, message: string | RegExp) =>
      assertLambdaRefused(create(settings), "InvalidParameterValueException", message);
    await refused({ EventSourceArn: undefined }, "Unrecognized event source.");
    await refused({ FunctionName: "absent" }, "Function does not exist");
    await refused(
      { EventSourceArn: `${queue.arn}-absent` },
      "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: The specified queue does not exist.",
    );
    await refused(
      { FunctionName: slow },
      "Queue visibility timeout: 30 seconds is less than Function timeout: 60 seconds",
    );
    await refused(
      { BatchSize: 11 },
      "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
    );
    await refused(
      { EventSourceArn: fifo.arn, MaximumBatchingWindowInSeconds: 1 },
      "Batching window is not supported for FIFO queues",
    );
    for (const Pattern of ["null", '"a"', '{"body":{"a":1}}']) {
      await refused({ FilterCriteria: { Filters: [{ Pattern }] } }, "Invalid filter pattern definition.");
    }
    await refused(
      { DestinationConfig: { OnFailure: { Destination: queue.arn } } },
      "Unsupported DestinationConfig parameter for given event source mapping type.",
    );
    for (const [types, constraint] of [
      [["ReportAll"], "Member must satisfy enum value set: [ReportBatchItemFailures]"],
      [["ReportBatchItemFailures", "ReportBatchItemFailures"], "Member must have length less than or equal to 1"],
    ] as const) {
      await assertLambdaRefused(
        create({ FunctionResponseTypes: [...types] }),
        "ValidationException",
        `1 validation error detected: Value '[${types.join(", ")}]' at 'functionResponseTypes' failed to satisfy constraint: ${constraint}`,
      );
    }
    for (const [settings, member] of [
      [{ BatchSize: 0 }, /'0' at 'batchSize'/],
      [{ BatchSize: 10_001 }, /'10001' at 'batchSize'/],
      [{ MaximumBatchingWindowInSeconds: 301 }, /'301' at 'maximumBatchingWindowInSeconds'/],
      [{ ScalingConfig: { MaximumConcurrency: 1 } }, /'1' at 'scalingConfig\.maximumConcurrency'/],
      [{ ScalingConfig: { MaximumConcurrency: 1001 } }, /'1001' at 'scalingConfig\.maximumConcurrency'/],
      [{ ProvisionedPollerConfig: { MinimumPollers: 201 } }, /'201' at 'provisionedPollerConfig\.minimumPollers'/],
      [{ ProvisionedPollerConfig: { MaximumPollers: 1 } }, /'1' at 'provisionedPollerConfig\.maximumPollers'/],
    ] as const) {
      await assertLambdaRefused(create(settings), "ValidationException", member);
    }
    for (const parameter of [
      { StartingPosition: "LATEST" as const },
      { ParallelizationFactor: 2 },
      { BisectBatchOnFunctionError: true },
      { MaximumRetryAttempts: 1 },
      { MaximumRecordAgeInSeconds: 60 },
      { TumblingWindowInSeconds: 3 },
    ]) {
      const [name] = Object.keys(parameter);
      await refused(parameter, `Unsupported ${name} parameter for given event source mapping type.`);
    }
    const { UUID = "" } = await create({});
    await assertLambdaRefused(
      create({}),
      "ResourceConflictException",
      `An event source mapping with SQS arn (" ${queue.arn} ") and function (" ${FunctionName} ") already exists. Please update or delete the existing mapping with UUID ${UUID}`,
      409,
    );
    await assertLambdaRefused(
      lambda.updateEventSourceMapping({ UUID, FunctionName: slow }),
      "InvalidParameterValueException",
      /^Queue visibility timeout: 30 seconds/,
    );
    await assertLambdaRefused(
      lambda.getEventSourceMapping({ UUID: "00000000-0000-4000-8000-00000000dead" }),
      "ResourceNotFoundException",
      "The resource you requested does not exist.",
      404,
    );
  });
});

/** Without what the SDK has as null or undefined. */
function given(shown: Partial<EventSourceMappingConfiguration>): object {
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null && value !== undefined));
}

/** Pollers may have something under way: real time, and not much of it. */
async function eventually<Value>(ask: () => Promise<Value>, wanted: Value): Promise<void> {
  for (const deadline = Date.now() + 5000; Date.now() < deadline; ) {
    if ((await ask()) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(await ask(), wanted);
}
