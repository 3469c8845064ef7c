// Writes src/wire/models/sqs.ts from the schemas that @aws-sdk/client-sqs carries, so that member names, types and
// Query names are AWS's and not typed by hand. With --check it writes nothing and exits 1 when the file is stale.
//
// A schema is an array: [kind, namespace, name, traits, ...]. Structures and errors (kinds 3 and -3) go on with member
// names, member schemas and the number of required members, which come first; maps (2) with key and value; lists (1)
// with the element; operations (9) with input and output. Plain numbers are simple types, 64 + n is a list of n. A
// member with traits of its own is a pair [schema, traits], and a schema may hide behind a function.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import * as sdk from "@aws-sdk/client-sqs";

type Traits = Record<string, unknown>;
type Schema = number | string | readonly unknown[] | (() => Schema);

const TARGET = "src/wire/models/sqs.ts";
const SIMPLE_TYPES: Record<number, string> = { 0: "text", 1: "integer", 2: "boolean", 21: "blob" };
const LIST_OF = 64;
const LINE_WIDTH = 120;

/**
 * Where the published model and what callers send part ways: the model names this member as it names AttributeNames,
 * but callers of the Query protocol number it under its own name (API reference, ReceiveMessage).
 */
const QUERY_NAMES: Record<string, string> = {
  "ReceiveMessageRequest.MessageSystemAttributeNames": "MessageSystemAttributeName",
};

const exported: Record<string, unknown> = sdk;
const { version } = createRequire(import.meta.url)("@aws-sdk/client-sqs/package.json") as { version: string };

/** Name and source of each named shape, in the order in which they may be declared. */
const declarations = new Map<string, string>();

const generated = render();
if (process.argv.includes("--check")) {
  const current = await readFile(TARGET, "utf8").catch(() => "");
  if (current !== generated) {
    process.stderr.write(`${TARGET} does not match @aws-sdk/client-sqs ${version}: run generate-models and commit.\n`);
    process.exitCode = 1;
  }
} else {
  await writeFile(TARGET, generated);
  process.stdout.write(`${TARGET} written from @aws-sdk/client-sqs ${version}.\n`);
}

function render(): string {
  const schemas = Object.keys(exported)
    .filter((name) => name.endsWith("$"))
    .sort();
  const operations = schemas.map((name) => exported[name] as readonly unknown[]).filter((schema) => schema[0] === 9);
  const errors = schemas.map((name) => exported[name] as readonly unknown[]).filter((schema) => schema[0] === -3);
  const operationLines = operations.map(operationLine);
  const errorLines = errors.filter((schema) => schema[1] === "com.amazonaws.sqs").map(errorLine);
  const imports = ["blob", "boolean", "integer", "list", "map", "optional", "required", "structure", "text"];
  return [
    `// Written by scripts/generate-models.ts from the schemas of @aws-sdk/client-sqs ${version}. Do not edit: change the`,
    "// script and run it again. It says what SQS's operations take and answer; names in quotes are the Query protocol's.",
    "",
    `import { ${imports.join(", ")} } from "../protocol/model.ts";`,
    'import type { ErrorModel } from "../protocol/model.ts";',
    "",
    'export const SERVICE_NAMESPACE = "com.amazonaws.sqs";',
    'export const TARGET_PREFIX = "AmazonSQS";',
    "",
    ...declarations.values(),
    "export const operations = {",
    ...operationLines,
    "} as const;",
    "",
    "export const errors: Record<string, ErrorModel> = {",
    ...errorLines,
    "};",
    "",
  ].join("\n");
}

function operationLine(schema: readonly unknown[]): string {
  const input = shape(schema[4] as Schema);
  const output = resolve(schema[5] as Schema);
  if (output === "unit") return `  ${schema[2]}: { input: ${input} },`;
  const line = `  ${schema[2]}: { input: ${input}, output: ${shape(output)} },`;
  if (line.length <= LINE_WIDTH) return line;
  return `  ${schema[2]}: {\n    input: ${input},\n    output: ${shape(output)},\n  },`;
}

function errorLine(schema: readonly unknown[]): string {
  const traits = schema[3] as Traits;
  const [queryCode, status] = (traits["awsQueryError"] as [string, number] | undefined) ?? [schema[2], 400];
  return `  ${schema[2]}: { queryCode: "${queryCode}", status: ${status} },`;
}

/** The expression for a schema; named shapes are declared on the way and referred to by name. */
function shape(given: Schema): string {
  const schema = resolve(given);
  if (typeof schema === "number") {
    return schema >= LIST_OF ? `list(${simpleType(schema - LIST_OF)})` : simpleType(schema);
  }
  if (typeof schema === "string") throw new Error(`A schema that is only a name: ${schema}`);
  const [kind, , name] = schema as unknown as [number, string, string];
  // Declaring comes before setting: the shapes that this one uses must stand above it.
  if (!declarations.has(name)) declarations.set(name, declare(kind, name, schema as readonly unknown[]));
  return name;
}

function declare(kind: number, name: string, schema: readonly unknown[]): string {
  if (kind === 1) {
    const [element, traits] = withTraits(schema[4] as Schema);
    const elementName = traits["xmlName"] === undefined ? "" : `, "${traits["xmlName"]}"`;
    return `const ${name} = list(${shape(element)}${elementName});\n`;
  }
  if (kind === 2) {
    const [, keyTraits] = withTraits(schema[4] as Schema);
    const [value, valueTraits] = withTraits(schema[5] as Schema);
    return `const ${name} = map("${keyTraits["xmlName"]}", "${valueTraits["xmlName"]}", ${shape(value)});\n`;
  }
  if (kind !== 3) throw new Error(`${name} is of a kind this script does not know: ${kind}`);
  const members = schema[4] as string[];
  const requiredCount = (schema[6] as number | undefined) ?? 0;
  const lines = members.map((member, index) =>
    memberLine(name, member, (schema[5] as Schema[])[index] as Schema, index < requiredCount),
  );
  return `const ${name} = structure("${name}", {\n${lines.join("\n")}\n});\n`;
}

function memberLine(structureName: string, member: string, given: Schema, isRequired: boolean): string {
  const [schema, traits] = withTraits(given);
  const queryName = QUERY_NAMES[`${structureName}.${member}`] ?? traits["xmlName"];
  const words = [shape(schema)];
  if (queryName !== undefined) words.push(`"${queryName}"`);
  if (traits["xmlFlattened"] === 1) words.push('"flattened"');
  const start = `  ${member}: ${isRequired ? "required" : "optional"}(`;
  const line = `${start}${words.join(", ")}),`;
  return line.length <= LINE_WIDTH ? line : `${start}\n    ${words.join(",\n    ")},\n  ),`;
}

/** Splits a member's pair of schema and traits; a bare schema has none. */
function withTraits(schema: Schema): [Schema, Traits] {
  if (Array.isArray(schema) && schema.length === 2 && typeof schema[1] === "object") return schema as never;
  if (Array.isArray(schema) && schema.length === 2) return [schema[0] as Schema, {}];
  return [schema, {}];
}

function resolve(schema: Schema): Schema {
  return typeof schema === "function" ? resolve(schema()) : schema;
}

function simpleType(code: number): string {
  const type = SIMPLE_TYPES[code];
  if (type === undefined) throw new Error(`A simple type this script does not know: ${code}`);
  return type;
}
