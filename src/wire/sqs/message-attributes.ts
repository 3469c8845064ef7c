// Message attributes between their wire form and the engine's: the rules of the developer guide ("message metadata")
// with AWS's texts, which attributes a receive asked for, and how they are answered.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { MessageAttribute } from "../../engine/command.ts";
import {
  MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX,
  MESSAGE_ATTRIBUTE_TYPE_CHARACTERS_MAX,
  MESSAGE_ATTRIBUTES_MAX,
} from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { invalidParameter, refusal } from "../../engine/refusal.ts";
import { forbiddenCharacter, forbiddenText } from "./message-body.ts";
import { isNumberAttribute } from "./number-attribute.ts";

export interface AttributeInput {
  DataType?: string;
  StringValue?: string;
  BinaryValue?: Uint8Array;
  StringListValues?: string[];
  BinaryListValues?: Uint8Array[];
}

export interface AttributeOutput {
  DataType: string;
  StringValue?: string;
  BinaryValue?: string;
}

/** Which of the two kinds an error text speaks of. */
type Kind = "user" | "system";

const NAME = /^[\p{L}\p{N}_.-]+$/u;
const RESERVED_NAME = /^(?:aws\.|amazon\.)/i;
const DATA_TYPE = /^(String|Number|Binary)(?:\.|$)/;
const NONE: MessageAttribute[] = [];
const NONE_GIVEN = accept(NONE);

export function readMessageAttributes(
  given: Record<string, AttributeInput> | undefined,
): Result<MessageAttribute[], Refusal> {
  if (given === undefined) return NONE_GIVEN;
  const entries = Object.entries(given);
  if (entries.length > MESSAGE_ATTRIBUTES_MAX) {
    const count = `Number of message attributes [${entries.length}]`;
    return refuse(invalidParameter(`${count} exceeds the allowed maximum [${MESSAGE_ATTRIBUTES_MAX}].`));
  }
  const attributes: MessageAttribute[] = [];
  for (const [name, value] of entries) {
    const badName = checkName(name);
    if (badName !== undefined) return refuse(invalidParameter(badName));
    const attribute = readAttribute(name, value, "user");
    if (!attribute.ok) return attribute;
    attributes.push(attribute.value);
  }
  return accept(attributes);
}

/** The only system attribute that a producer may send is the trace header. */
export function readSystemAttributes(
  given: Record<string, AttributeInput> | undefined,
): Result<MessageAttribute[], Refusal> {
  if (given === undefined) return NONE_GIVEN;
  const attributes: MessageAttribute[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (name !== "AWSTraceHeader") {
      return refuse(invalidParameter(`Message system attribute name '${name}' is invalid.`));
    }
    const attribute = readAttribute(name, value, "system");
    if (!attribute.ok) return attribute;
    if (typeof attribute.value.value !== "string") {
      return refuse(invalidParameter(`Message (system) attribute '${name}' must be of type String.`));
    }
    attributes.push(attribute.value);
  }
  return accept(attributes);
}

export function writeMessageAttributes(attributes: readonly MessageAttribute[]): Record<string, AttributeOutput> {
  const written: Record<string, AttributeOutput> = Object.create(null);
  for (const { name, dataType, value } of attributes) {
    written[name] =
      typeof value === "string"
        ? { StringValue: value, DataType: dataType }
        : { BinaryValue: Buffer.from(value).toString("base64"), DataType: dataType };
  }
  return written;
}

/**
 * Picks what MessageAttributeNames asks for: `All`, `.*` and `*` are everything, `prefix.*` is every name that starts
 * with the prefix, the rest are exact names. Names that match nothing are no error.
 */
export function attributeSelection(
  names: readonly string[] | undefined,
): (attributes: readonly MessageAttribute[]) => readonly MessageAttribute[] {
  if (names === undefined || names.length === 0) return () => NONE;
  if (names.some((name) => name === "All" || name === ".*" || name === "*")) return (attributes) => attributes;
  const prefixes = names.filter((name) => name.endsWith(".*")).map((name) => name.slice(0, -2));
  const isWanted = (name: string) => names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return (attributes) => (attributes.length === 0 ? NONE : attributes.filter(({ name }) => isWanted(name)));
}

function checkName(name: string): string | undefined {
  if (name.length > MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX) {
    return `Message (user) attribute name must be shorter than ${MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX} bytes.`;
  }
  if (!NAME.test(name)) {
    const allowed = "A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.)";
    return `Message (user) attribute name '${name}' is invalid. It can contain ${allowed} characters only.`;
  }
  if (RESERVED_NAME.test(name)) {
    const reserved = "message attribute names beginning with 'AWS.' or 'Amazon'";
    return `You can't use ${reserved}. These strings are reserved for internal use.`;
  }
  if (name.startsWith(".")) return "Message (user) attribute name must not begin with character '.'.";
  if (name.endsWith(".")) return "Message (user) attribute name must not end with character '.'.";
  if (name.includes("..")) return "Message (user) attribute name must not have successive '.' characters.";
  return undefined;
}

function readAttribute(name: string, given: AttributeInput, kind: Kind): Result<MessageAttribute, Refusal> {
  if (isFilled(given.StringListValues) || isFilled(given.BinaryListValues)) {
    const text = "Message attribute list values in SendMessage operation are not supported.";
    return refuse(refusal("UnsupportedOperation", text));
  }
  const value = readValue(name, given, kind);
  return typeof value === "string" ? refuse(invalidParameter(value)) : accept(value);
}

/** The attribute, or the text of what is wrong with it. */
function readValue(name: string, given: AttributeInput, kind: Kind): MessageAttribute | string {
  const { DataType: dataType, StringValue: text, BinaryValue: bytes } = given;
  const attribute = `message (${kind}) attribute '${name}'`;
  if (dataType === undefined || dataType === "") {
    return `The ${attribute} must contain a non-empty message attribute type.`;
  }
  const type = DATA_TYPE.exec(dataType)?.[1];
  if (type === undefined || dataType.length > MESSAGE_ATTRIBUTE_TYPE_CHARACTERS_MAX) {
    const supported = "Binary, Number, String";
    return `The type of ${attribute} is invalid. You must use only the following supported type prefixes: ${supported}.`;
  }
  const inType = forbiddenCharacter(dataType);
  if (inType !== undefined) return forbiddenText(inType, `type of ${attribute}`);
  if (text === undefined && bytes === undefined) {
    return `The ${attribute} must contain a non-empty message attribute value.`;
  }
  const wanted = type === "Binary" ? bytes : text;
  if (wanted === undefined) {
    const field = type === "Binary" ? "BinaryValue" : "StringValue";
    return `Message (${kind}) attribute '${name}' with type '${dataType}' must use field '${field}'.`;
  }
  if (wanted.length === 0) {
    return `Message (${kind}) attribute '${name}' must contain a non-empty value of type '${dataType}'.`;
  }
  if (typeof wanted === "string") {
    const found = forbiddenCharacter(wanted);
    if (found !== undefined) return forbiddenText(found, attribute);
    if (type === "Number" && !isNumberAttribute(wanted)) return `Can't cast the value of ${attribute} to a number.`;
  }
  return { name, dataType, value: wanted };
}

function isFilled(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}
