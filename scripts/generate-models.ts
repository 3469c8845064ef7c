// Writes src/wire/models/{service}.ts from the schemas that each service's AWS SDK package carries, so that member
// names, types and Query names are AWS's and not typed by hand. With --check it writes nothing and exits 1 when a file
// is stale. A new service is a line in SERVICES and an import.
//
// A schema is an array: [kind, namespace, name, traits, ...]. Structures and errors (kinds 3 and -3) go on with member
// names, member schemas and the number of required members, which come first; maps (2) with key and value; lists (1)
// with the element; operations (9) with input and output; simple types with traits (0) with the plain type. Plain
// numbers are simple types, 64 + n is a list of n and 128 + n a map of texts to n. A member with traits of its own is a
// pair [schema, traits], and a schema may hide behind a function. Traits are an object, or a number of flags: where a
// member of a REST operation is in the HTTP request or answer (path 1, body 16, status 32) is among them.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import * as lambda from "@aws-sdk/client-lambda";
import * as sns from "@aws-sdk/client-sns";
import * as sqs from "@aws-sdk/client-sqs";

type Traits = Record<string, unknown>;
type Schema = number | string | readonly unknown[] | (() => Schema);

interface Source {
  /** Also the file's name. */
  service: string;
  package: string;
  exported: Record<string, unknown>;
  settings: ProtocolSettings;
  /** Only these operations; absent: all. */
  only?: readonly string[];
}

/** What the SDK's own protocol code works with. */
interface ProtocolSettings {
  defaultNamespace: string;
  version: string;
  serviceTarget: string;
  /** Only where Query is the service's first protocol. */
  xmlNamespace?: string;
}

const SIMPLE_TYPES: Record<number, string> = { 0: "text", 1: "integer", 2: "boolean", 4: "text", 21: "blob" };
/** In REST-JSON a time is a number of seconds. */
const REST_TYPES: Record<number, string> = { ...SIMPLE_TYPES, 4: "timestamp" };
const IN_PATH = 1;
const AS_PAYLOAD = 16;
const AS_STATUS = 32;
const LIST_OF = 64;
const MAP_OF = 128;
const LINE_WIDTH = 120;
const NO_REGION = { region: "us-east-1" };

// The SDK warns of Node versions that it will leave behind; which ones we support is package.json's business.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";

/** Of Lambda's nearly ninety operations, those about functions and event source mappings. */
const LAMBDA_OPERATIONS = [
  "AddPermission",
  "CreateAlias",
  "CreateEventSourceMapping",
  "CreateFunction",
  "DeleteAlias",
  "DeleteEventSourceMapping",
  "DeleteFunction",
  "DeleteFunctionConcurrency",
  "DeleteFunctionEventInvokeConfig",
  "GetAccountSettings",
  "GetAlias",
  "GetEventSourceMapping",
  "GetFunction",
  "GetFunctionCodeSigningConfig",
  "GetFunctionConcurrency",
  "GetFunctionConfiguration",
  "GetFunctionEventInvokeConfig",
  "GetPolicy",
  "Invoke",
  "ListAliases",
  "ListEventSourceMappings",
  "ListFunctionEventInvokeConfigs",
  "ListFunctions",
  "ListTags",
  "ListVersionsByFunction",
  "PublishVersion",
  "PutFunctionConcurrency",
  "PutFunctionEventInvokeConfig",
  "RemovePermission",
  "TagResource",
  "UntagResource",
  "UpdateAlias",
  "UpdateEventSourceMapping",
  "UpdateFunctionCode",
  "UpdateFunctionConfiguration",
  "UpdateFunctionEventInvokeConfig",
];

const SERVICES: Source[] = [
  source("sqs", sqs, new sqs.SQSClient(NO_REGION).config),
  source("sns", sns, new sns.SNSClient(NO_REGION).config),
  { ...source("lambda", lambda, new lambda.LambdaClient(NO_REGION).config), only: LAMBDA_OPERATIONS },
];

/**
 * Where the published model and what callers send part ways: the model names this member as it names AttributeNames,
 * but callers of the Query protocol number it under its own name (API reference, ReceiveMessage).
 */
const QUERY_NAMES: Record<string, string> = {
  "ReceiveMessageRequest.MessageSystemAttributeNames": "MessageSystemAttributeName",
};

/** Name and source of each named shape of the service at hand, in the order in which they may be declared. */
const declarations = new Map<string, string>();
let simpleTypes = SIMPLE_TYPES;

for (const given of SERVICES) {
  const { version } = createRequire(import.meta.url)(`${given.package}/package.json`) as { version: string };
  const target = `src/wire/models/${given.service}.ts`;
  const generated = render(given, version);
  if (process.argv.includes("--check")) {
    const current = await readFile(target, "utf8").catch(() => "");
    if (current === generated) continue;
    process.stderr.write(`${target} does not match ${given.package} ${version}: run npm run generate and commit.\n`);
    process.exitCode = 1;
  } else {
    await writeFile(target, generated);
    process.stdout.write(`${target} written from ${given.package} ${version}.\n`);
  }
}

function source(service: string, exported: object, config: object): Source {
  const { protocolSettings } = config as { protocolSettings: ProtocolSettings };
  const name = `@aws-sdk/client-${service}`;
  return { service, package: name, exported: exported as Record<string, unknown>, settings: protocolSettings };
}

function render({ service, package: name, exported, settings, only }: Source, version: string): string {
  declarations.clear();
  const schemas = Object.keys(exported)
    .filter((member) => member.endsWith("$"))
    .sort()
    .map((member) => exported[member] as readonly unknown[]);
  const operations = schemas.filter((schema) => schema[0] === 9 && (only?.includes(schema[2] as string) ?? true));
  const isRest = operations.some((schema) => bindingOf(schema) !== undefined);
  simpleTypes = isRest ? REST_TYPES : SIMPLE_TYPES;
  const operationLines = operations.map(operationLine);
  const errorLines = schemas
    .filter((schema) => schema[0] === -3 && schema[1] === settings.defaultNamespace)
    .map(errorLine);
  const body = [
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
  const words = ["blob", "boolean", "integer", "list", "map", "optional", "required", "structure", "text", "timestamp"];
  const imports = words.filter((word) => new RegExp(`\\b${word}\\b[(,)]`).test(body));
  return [
    `// Written by scripts/generate-models.ts from the schemas of ${name} ${version}. Do not edit: change the`,
    `// script and run it again. It says what ${isRest ? capitalised(service) : service.toUpperCase()}'s operations take and answer${isRest ? ", and where in HTTP" : "; names in quotes are the Query protocol's"}.`,
    "",
    `import { ${imports.join(", ")} } from "../protocol/model.ts";`,
    'import type { ErrorModel } from "../protocol/model.ts";',
    "",
    `export const SERVICE_NAMESPACE = "${settings.defaultNamespace}";`,
    `export const API_VERSION = "${settings.version}";`,
    `export const TARGET_PREFIX = "${settings.serviceTarget}";`,
    ...(settings.xmlNamespace === undefined ? [] : [`export const XML_NAMESPACE = "${settings.xmlNamespace}";`]),
    "",
    body,
  ].join("\n");
}

function operationLine(schema: readonly unknown[]): string {
  const name = schema[2] as string;
  const parts = [`input: ${shape(schema[4] as Schema)}`];
  const output = resolve(schema[5] as Schema);
  if (output !== "unit") parts.push(`output: ${shape(output)}`);
  const http = bindingOf(schema);
  if (http !== undefined) parts.push(`http: ${http}`);
  const line = `  ${name}: { ${parts.join(", ")} },`;
  if (line.length <= LINE_WIDTH) return line;
  return `  ${name}: {\n    ${parts.join(",\n    ")},\n  },`;
}

/** The expression for where a REST operation and its members are in HTTP; undefined for other protocols. */
function bindingOf(schema: readonly unknown[]): string | undefined {
  const { http } = schema[3] as Traits;
  if (http === undefined) return undefined;
  const [method, path, status] = http as [string, string, number];
  const input = placesOf(resolve(schema[4] as Schema));
  const output = placesOf(resolve(schema[5] as Schema));
  const fields = [`method: "${method}"`, `path: "${path}"`, `status: ${status}`];
  if (input.query.length > 0) fields.push(`query: { ${input.query.join(", ")} }`);
  if (input.headers.length > 0) fields.push(`headers: { ${input.headers.join(", ")} }`);
  if (input.payload !== undefined) fields.push(`payload: "${input.payload}"`);
  if (output.headers.length > 0) fields.push(`answerHeaders: { ${output.headers.join(", ")} }`);
  if (output.payload !== undefined) fields.push(`answerPayload: "${output.payload}"`);
  if (output.status !== undefined) fields.push(`answerStatus: "${output.status}"`);
  const line = `{ ${fields.join(", ")} }`;
  // Behind "    http: " and before the comma.
  return line.length + 11 <= LINE_WIDTH ? line : `{\n      ${fields.join(",\n      ")},\n    }`;
}

/** Members that are not in the body as JSON. Those in the path are known by the path. */
function placesOf(schema: Schema) {
  const places = { query: [] as string[], headers: [] as string[], payload: undefined, status: undefined } as {
    query: string[];
    headers: string[];
    payload: string | undefined;
    status: string | undefined;
  };
  if (!Array.isArray(schema)) return places;
  for (const [index, member] of (schema[4] as string[]).entries()) {
    const [, traits] = withTraits((schema[5] as Schema[])[index] as Schema);
    if (traits["httpQuery"] !== undefined) places.query.push(`${member}: "${traits["httpQuery"]}"`);
    if (traits["httpHeader"] !== undefined) places.headers.push(`${member}: "${traits["httpHeader"]}"`);
    if (traits["httpPayload"] !== undefined) places.payload = member;
    if (traits["httpResponseCode"] !== undefined) places.status = member;
  }
  return places;
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function errorLine(schema: readonly unknown[]): string {
  const traits = schema[3] as Traits;
  const httpStatus = (traits["httpError"] as number | undefined) ?? 400;
  const [queryCode, status] = (traits["awsQueryError"] as [string, number] | undefined) ?? [schema[2], httpStatus];
  return `  ${schema[2]}: { queryCode: "${queryCode}", status: ${status} },`;
}

/** The expression for a schema; named shapes are declared on the way and referred to by name. */
function shape(given: Schema): string {
  const schema = resolve(given);
  if (typeof schema === "number") return plainShape(schema);
  if (typeof schema === "string") throw new Error(`A schema that is only a name: ${schema}`);
  const [kind, , name] = schema as unknown as [number, string, string];
  if (kind === 0) return plainShape((schema as readonly unknown[])[4] as number);
  // Declaring comes before setting: the shapes that this one uses must stand above it.
  if (!declarations.has(name)) declarations.set(name, declare(kind, name, schema as readonly unknown[]));
  return name;
}

function plainShape(code: number): string {
  if (code >= MAP_OF) return `map("key", "value", ${simpleType(code - MAP_OF)})`;
  return code >= LIST_OF ? `list(${simpleType(code - LIST_OF)})` : simpleType(code);
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
    const names = `"${keyTraits["xmlName"] ?? "key"}", "${valueTraits["xmlName"] ?? "value"}"`;
    return `const ${name} = map(${names}, ${shape(value)});\n`;
  }
  if (kind !== 3) throw new Error(`${name} is of a kind this script does not know: ${kind}`);
  const members = schema[4] as string[];
  const requiredCount = (schema[6] as number | undefined) ?? 0;
  const lines = members.map((member, index) =>
    memberLine(name, member, (schema[5] as Schema[])[index] as Schema, index < requiredCount),
  );
  const inside = lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
  return `const ${name} = structure("${name}", {${inside}});\n`;
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
  if (Array.isArray(schema) && schema.length === 2) return [schema[0] as Schema, flagsOf(schema[1] as number)];
  return [schema, {}];
}

function flagsOf(flags: number): Traits {
  const traits: Traits = {};
  if (flags & IN_PATH) traits["httpLabel"] = 1;
  if (flags & AS_PAYLOAD) traits["httpPayload"] = 1;
  if (flags & AS_STATUS) traits["httpResponseCode"] = 1;
  return traits;
}

function resolve(schema: Schema): Schema {
  return typeof schema === "function" ? resolve(schema()) : schema;
}

function simpleType(code: number): string {
  const type = simpleTypes[code];
  if (type === undefined) throw new Error(`A simple type this script does not know: ${code}`);
  return type;
}
