import assert from "node:assert/strict";
import test from "node:test";
import type { MessageAttribute } from "../../engine/command.ts";
import type { AttributeInput } from "./message-attributes.ts";
import { attributeSelection, readMessageAttributes, readSystemAttributes } from "./message-attributes.ts";
import { isNumberAttribute } from "./number-attribute.ts";

const text = (value: string): AttributeInput => ({ DataType: "String", StringValue: value });

test("names, types and values are taken as they came", () => {
  const given = { "Ünï.cøde-1_": text("v"), n: { DataType: "Number.int", StringValue: "007" } };
  assert.deepEqual(readMessageAttributes(given), {
    ok: true,
    value: [
      { name: "Ünï.cøde-1_", dataType: "String", value: "v" },
      { name: "n", dataType: "Number.int", value: "007" },
    ],
  });
});

test("bad attributes are refused with AWS's words", () => {
  const cases: [Record<string, AttributeInput>, string][] = [
    [eleven(), "Number of message attributes [11] exceeds the allowed maximum [10]."],
    [{ ["n".repeat(257)]: text("v") }, "Message (user) attribute name must be shorter than 256 bytes."],
    [{ "aws.x": text("v") }, "These strings are reserved for internal use."],
    [{ "Amazon.x": text("v") }, "These strings are reserved for internal use."],
    [{ ".x": text("v") }, "Message (user) attribute name must not begin with character '.'."],
    [{ "x.": text("v") }, "Message (user) attribute name must not end with character '.'."],
    [{ "x..y": text("v") }, "Message (user) attribute name must not have successive '.' characters."],
    [{ "x y": text("v") }, "Message (user) attribute name 'x y' is invalid."],
    [{ "": text("v") }, "Message (user) attribute name '' is invalid."],
    [{ k: { StringValue: "v" } }, "must contain a non-empty message attribute type."],
    [{ k: { DataType: "Strings", StringValue: "v" } }, "The type of message (user) attribute 'k' is invalid."],
    [
      { k: { DataType: "String" } },
      "The message (user) attribute 'k' must contain a non-empty message attribute value.",
    ],
    [{ k: text("") }, "Message (user) attribute 'k' must contain a non-empty value of type 'String'."],
    [{ k: { DataType: "Binary", BinaryValue: new Uint8Array() } }, "must contain a non-empty value of type 'Binary'."],
    [{ k: { DataType: "Binary", StringValue: "v" } }, "with type 'Binary' must use field 'BinaryValue'."],
    [
      { k: { DataType: "Number", StringValue: "one" } },
      "Can't cast the value of message (user) attribute 'k' to a number.",
    ],
    [{ k: text("\u0001") }, "Invalid binary character '#x1' was found in the message (user) attribute 'k'"],
  ];
  for (const [given, expected] of cases) {
    const result = readMessageAttributes(given);
    assert.ok(!result.ok, expected);
    assert.equal(result.refusal.code, "InvalidParameterValue");
    assert.ok(result.refusal.message.includes(expected), result.refusal.message);
  }
});

test("lists of values are not supported", () => {
  const result = readMessageAttributes({ k: { DataType: "String", StringListValues: ["a"] } });
  assert.equal(!result.ok && result.refusal.code, "UnsupportedOperation");
  assert.equal(readMessageAttributes({ k: { ...text("v"), StringListValues: [] } }).ok, true);
});

test("the trace header is the only system attribute that may be sent (C038)", () => {
  assert.equal(readSystemAttributes({ AWSTraceHeader: text("Root=1") }).ok, true);
  const other = readSystemAttributes({ Other: text("v") });
  assert.equal(!other.ok && other.refusal.message, "Message system attribute name 'Other' is invalid.");
  const bytes = readSystemAttributes({ AWSTraceHeader: { DataType: "Binary", BinaryValue: Uint8Array.of(1) } });
  assert.equal(!bytes.ok && bytes.refusal.code, "InvalidParameterValue");
});

test("numbers have up to 38 digits and lie between 10^-128 and 10^126", () => {
  const good = [
    "0",
    "-0.00",
    "42",
    "+1.5",
    ".5",
    "5.",
    "1e126",
    "1E-128",
    "9".repeat(38),
    `${"9".repeat(38)}000`,
    "1493147359900",
  ];
  for (const number of good) assert.equal(isNumberAttribute(number), true, number);
  for (const number of [
    "",
    ".",
    "-",
    "e5",
    "1e",
    "1 ",
    "0x1",
    "1,5",
    "NaN",
    "1".repeat(39),
    "2e126",
    "1e127",
    "1e-129",
  ]) {
    assert.equal(isNumberAttribute(number), false, number);
  }
});

test("a receive picks attributes by name, by prefix, or all (C019)", () => {
  const stored = ["Reed.1", "Reef", "Silt"].map((name): MessageAttribute => ({ name, dataType: "String", value: "v" }));
  const picked = (names?: string[]) => attributeSelection(names)(stored).map(({ name }) => name);
  assert.deepEqual(picked(), []);
  assert.deepEqual(picked([]), []);
  for (const all of ["All", ".*", "*"]) assert.deepEqual(picked(["Nope", all]), ["Reed.1", "Reef", "Silt"]);
  assert.deepEqual(picked(["Ree.*"]), ["Reed.1", "Reef"]);
  assert.deepEqual(picked(["Silt", "Nope"]), ["Silt"]);
  assert.deepEqual(picked(["Nope", "..foo", "AWS."]), []);
});

function eleven(): Record<string, AttributeInput> {
  return Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`n${index}`, text("v")]));
}
