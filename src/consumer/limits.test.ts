import assert from "node:assert/strict";
import { test } from "node:test";
import * as engine from "../engine/limits.ts";
import * as consumer from "./limits.ts";

test("the toolkit's numbers are the server's", () => {
  assert.equal(consumer.BATCH_ENTRIES_MAX, engine.BATCH_ENTRIES_MAX);
  assert.equal(consumer.BATCH_ENTRIES_MAX, engine.RECEIVE_MESSAGES_MAX);
  assert.equal(consumer.BATCH_BYTES_MAX, engine.BATCH_BYTES_MAX);
  assert.equal(consumer.MESSAGE_ATTRIBUTES_MAX, engine.MESSAGE_ATTRIBUTES_MAX);
  assert.equal(consumer.WAIT_SECONDS_MAX * 1000, engine.WAIT_MS_MAX);
  assert.equal(consumer.HELD_MS_MAX, engine.VISIBILITY_MS_MAX);
  assert.equal(consumer.DEFAULT_VISIBILITY_MS, engine.DEFAULT_VISIBILITY_MS);
});
