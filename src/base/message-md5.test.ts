import assert from "node:assert/strict";
import test from "node:test";
import type { MessageAttribute } from "../engine/command.ts";
import { attributeBytes, md5OfAttributes } from "./message-md5.ts";

const number = "1493147359900";
const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";
const traceBytes = Buffer.from("traceparent\u001e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01");

const vectors: [string, MessageAttribute[], string][] = [
  ["a number", [attribute("timestamp", "Number", number)], "235c5c510d26fb653d073faed50ae77c"],
  ["a suffix", [attribute("timestamp", "Number.java.lang.Long", number)], "2e2e4876d8e0bd6b8c2c8f556831c349"],
  ["a long name", [attribute("SOME_Valid.attribute-Name", "Number", number)], "36655e7e9d7c0e8479fa3f3f42247ae7"],
  ["a text", [attribute("k", "String", "x")], "a45daa70926828a2f0a1db3418e6feb4"],
  ["another text", [attribute("Foo", "String", "Bar")], "ae7155c6026991b6d54b11589678bf9c"],
  ["a custom text", [attribute("somevalue", "String.custom", "somevalue")], "9e05cca738e70ff6c6041e82d5e77ef1"],
  [
    "several, by name",
    [
      attribute("Hello", "String", "There"),
      attribute("General", "String", "Kenobi"),
      attribute("Help.Me", "String", "Me"),
    ],
    "4c360f3fdafd970e05fae2f149d997f5",
  ],
  ["bytes", [attribute("attr1", "Binary", traceBytes)], "8cbe4db156db8a94db8b801b7addb984"],
  ["the trace header", [attribute("AWSTraceHeader", "String", trace)], "5ae4d5d7636402d80f4eb6d213245a88"],
  [
    "text, number and bytes together",
    [
      attribute("tenant", "String", "heron"),
      attribute("hops", "Number", "42"),
      attribute("blob", "Binary", Uint8Array.of(1, 2, 3, 255)),
    ],
    "2e87fffd796f89ec62359fbff391b72f",
  ],
];

for (const [what, attributes, expected] of vectors) {
  test(`the attribute digest of ${what} is AWS's`, () => assert.equal(md5OfAttributes(attributes), expected));
}

test("without attributes there is no digest", () => assert.equal(md5OfAttributes([]), undefined));

test("an attribute's size is that of its name, type and value in bytes", () => {
  assert.equal(attributeBytes(attribute("k", "String", "v")), 8);
  assert.equal(attributeBytes(attribute("é", "Binary", Uint8Array.of(1, 2))), 10);
});

function attribute(name: string, dataType: string, value: string | Uint8Array): MessageAttribute {
  return { name, dataType, value };
}
