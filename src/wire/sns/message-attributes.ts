// Message attributes of a publication: SNS's rules and texts, which are not SQS's (fanout.md A6). What a topic's
// subscribers make of them comes later: text that is no JSON in a String.Array is fine here.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { MessageAttribute } from "../../engine/command.ts";
import { MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX } from "../../engine/limits.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refusal } from "../../engine/refusal.ts";
import { nullAt } from "./refusals.ts";

export interface AttributeInput {
  DataType?: string;
  StringValue?: string;
  BinaryValue?: Uint8Array;
}

const DATA_TYPE = /^(String|Number|Binary)(?:\..+)?$/s;
const FORBIDDEN_IN_NAME = /[^A-Za-z0-9_.-]/u;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `place` comes before `messageAttributes` in the path of a missing member: empty, or a batch entry's. */
export function readMessageAttributes(
  given: Record<string, AttributeInput> | undefined,
  place: string,
): Result<MessageAttribute[], Refusal> {
  const attributes: MessageAttribute[] = [];
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value.DataType === undefined || value.DataType === "") {
      return refuse(nullAt(`${place}messageAttributes.${name}.member.dataType`));
    }
    const problem = nameProblem(name);
    const read = problem ?? readValue(name, value.DataType, value);
    if (typeof read === "string") return refuse(refusal("ParameterValueInvalid", read));
    attributes.push(read);
  }
  return accept(attributes);
}

function nameProblem(name: string): string | undefined {
  if (name === "") return "The request must contain non-empty message attribute names.";
  if (Buffer.byteLength(name) > MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX) {
    return `Length of message attribute name must be less than ${MESSAGE_ATTRIBUTE_NAME_CHARACTERS_MAX} bytes.`;
  }
  const forbidden = FORBIDDEN_IN_NAME.exec(name)?.[0].codePointAt(0);
  if (forbidden !== undefined) {
    const character = `#x${forbidden.toString(16).toUpperCase()}`;
    const allowed = "Can only include alphanumeric characters, hyphens, underscores, or dots.";
    return `Invalid non-alphanumeric character '${character}' was found in the message attribute name. ${allowed}`;
  }
  if (name.startsWith(".")) return "Invalid message attribute name starting with character '.' was found.";
  if (name.endsWith(".")) return "Invalid message attribute name ending with character '.' was found.";
  if (name.includes("..")) return "Message attribute name can not have successive '.' character.";
  return undefined;
}

/** The attribute, or the text of what is wrong with it. */
function readValue(name: string, dataType: string, given: AttributeInput): MessageAttribute | string {
  const { StringValue: text, BinaryValue: bytes } = given;
  const attribute = `The message attribute '${name}'`;
  const type = DATA_TYPE.exec(dataType)?.[1];
  if (type === undefined) {
    const supported = "the set of supported type prefixes is Binary, Number, and String.";
    return `${attribute} has an invalid message attribute type, ${supported}`;
  }
  const [wanted, other] = type === "Binary" ? [bytes, text] : [text, bytes];
  if (wanted === undefined && other !== undefined && other.length > 0) {
    return `${attribute} with type '${dataType}' must use field '${type === "Binary" ? "Binary" : "String"}'.`;
  }
  if (wanted === undefined || wanted.length === 0) {
    return `${attribute} must contain non-empty message attribute value for message attribute type '${dataType}'.`;
  }
  if (type === "Number" && !NUMBER.test(wanted as string)) {
    return `Could not cast message attribute '${name}' value to number.`;
  }
  return { name, dataType, value: wanted };
}
