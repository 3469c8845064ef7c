import assert from "node:assert/strict";
import test from "node:test";
import { operations } from "../models/sqs.ts";
import { list, optional, structure, text } from "./model.ts";
import { escapeXml, writeMembers } from "./xml.ts";

test("texts survive an XML parser: carriage returns and entity texts come back as they were (C036)", () => {
  assert.equal(escapeXml('a\r\n<b> & "c" &quot;'), "a&#xD;\n&lt;b&gt; &amp; &quot;c&quot; &amp;quot;");
  assert.equal(escapeXml("tab\t– é 🐸"), "tab\t– é 🐸");
});

test("what XML cannot hold is replaced, so that an error may quote anything", () => {
  assert.equal(escapeXml("a\u0000b\u001fc\uffff"), "a\ufffdb\ufffdc\ufffd");
});

test("lists and maps repeat under their query name", () => {
  const output = { Successful: [{ Id: "a" }, { Id: "b" }] };
  assert.equal(
    writeMembers(operations.DeleteMessageBatch.output, output),
    "<DeleteMessageBatchResultEntry><Id>a</Id></DeleteMessageBatchResultEntry>" +
      "<DeleteMessageBatchResultEntry><Id>b</Id></DeleteMessageBatchResultEntry>",
  );
  assert.equal(
    writeMembers(operations.ListQueueTags.output, { Tags: { a: "b", c: "" } }),
    "<Tag><Key>a</Key><Value>b</Value></Tag><Tag><Key>c</Key><Value/></Tag>",
  );
});

test("a wrapped list has a level of its own", () => {
  const shape = structure("Wrapped", { Names: optional(list(text)) });
  assert.equal(writeMembers(shape, { Names: ["a"] }), "<Names><member>a</member></Names>");
});
