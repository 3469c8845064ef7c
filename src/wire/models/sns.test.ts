import assert from "node:assert/strict";
import test from "node:test";
import { snsOperations } from "../sns/registry.ts";
import { operations } from "./sns.ts";

test("every operation of the model is in the registry", () => {
  const names = Object.keys(operations);
  assert.equal(names.length, 42);
  for (const name of names) assert.equal(snsOperations.get(name)?.name, name);
});

test("maps are pairs of key and value, except message attributes", () => {
  const { members } = operations.Publish.input;
  assert.deepEqual(
    [members.MessageAttributes.shape.keyName, members.MessageAttributes.shape.valueName],
    ["Name", "Value"],
  );
  const { Attributes } = operations.CreateTopic.input.members;
  assert.deepEqual([Attributes.shape.keyName, Attributes.shape.valueName, Attributes.flattened], ["key", "value", false]);
});
