import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownTable, textTable } from "./table.ts";

test("a table has the columns that some row fills, and an error instead of figures", () => {
  const rows = [
    { scenario: "send", subject: "millpond", connections: 16, messagesPerSecond: 12345.6 },
    { scenario: "send", subject: "other", connections: 16, error: "500\nno" },
  ];
  assert.equal(
    textTable(rows),
    [
      "connections    server  messages/s   wrong",
      "         16  millpond      12,346       -",
      "         16     other           -  500 no",
    ].join("\n"),
  );
  assert.equal(markdownTable(rows).split("\n")[3], "| 16 | other | - | 500 no |");
});
