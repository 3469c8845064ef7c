// Writes values of the model as XML, the way the Query protocol answers: lists and maps repeat under their query
// name. XML parsers turn a bare carriage return into a line feed, so it is written as a reference, and texts come
// back as they went in (case C036).

import type { Member, Shape, Structure } from "./model.ts";

/** What must be escaped, and what XML cannot hold at all: control characters that an error text may quote. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const SPECIAL = /[&<>"\x00-\x08\x0b-\x1f\ufffe\uffff]/;
const SPECIALS = new RegExp(SPECIAL, "g");

export function escapeXml(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, escapeCharacter) : text;
}

export function writeMembers(shape: Structure, value: object): string {
  let xml = "";
  const given = value as Record<string, unknown>;
  const { members } = shape;
  for (const name in members) {
    const member = given[name];
    if (member !== undefined) xml += writeMember(members[name] as Member, member);
  }
  return xml;
}

function writeMember(member: Member, value: unknown): string {
  const { shape, queryName: name } = member;
  if (shape.is === "list") {
    const items = (value as unknown[]).map((item) =>
      writeElement(member.flattened ? name : shape.elementName, shape.of, item),
    );
    return member.flattened ? items.join("") : element(name, items.join(""));
  }
  if (shape.is === "map") {
    const pairs = Object.entries(value as object).map(([key, item]) =>
      element(
        member.flattened ? name : "entry",
        element(shape.keyName, escapeXml(key)) + writeElement(shape.valueName, shape.of, item),
      ),
    );
    return member.flattened ? pairs.join("") : element(name, pairs.join(""));
  }
  return writeElement(name, shape, value);
}

function writeElement(name: string, shape: Shape, value: unknown): string {
  if (shape.is === "structure") return element(name, writeMembers(shape, value as object));
  return element(name, escapeXml(String(value)));
}

export function element(name: string, content: string): string {
  return content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case "&":
      return "&amp;";
    case "<":
      return "&lt;";
    case ">":
      return "&gt;";
    case '"':
      return "&quot;";
    case "\r":
      return "&#xD;";
    default:
      return "\ufffd";
  }
}
