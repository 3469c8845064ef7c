// A resource policy's JSON as it is written by people: members may be one value or a list, and anything may be wrong
// with it. What cannot be read is told apart statement by statement.

import { isObject, type Json, type JsonObject, parseJson } from "../pattern/json.ts";

/** Patterns are kept as written. Exactly one of each pair is there in a valid statement; `Resource` may be missing. */
export interface Statement {
  sid: string | undefined;
  effect: "Allow" | "Deny";
  principal: PrincipalClause;
  actions: NegatableList;
  /** Missing means the resource that the policy hangs on. */
  resources: NegatableList | undefined;
  conditions: Condition[];
}

export interface NegatableList {
  isNegated: boolean;
  patterns: readonly string[];
}

export interface PrincipalClause {
  isNegated: boolean;
  /** `*` alone, or `{"AWS": "*"}`. */
  isEverybody: boolean;
  aws: readonly string[];
  services: readonly string[];
}

export interface Condition {
  operator: string;
  key: string;
  values: readonly string[];
}

export interface PolicyDocument {
  /** In the order of the document. One that cannot be read is "Deny" of everything if that is its effect, or nothing. */
  statements: (Statement | undefined)[];
  /** How many could not be read, or "document" when there is nothing to count. */
  unreadable: number | "document";
}

const DENY_EVERYTHING: Statement = {
  sid: undefined,
  effect: "Deny",
  principal: { isNegated: false, isEverybody: true, aws: [], services: [] },
  actions: { isNegated: false, patterns: ["*"] },
  resources: undefined,
  conditions: [],
};

const VERSIONS: readonly unknown[] = [undefined, "2008-10-17", "2012-10-17"];

/** Whether AWS would take the policy: a version that there is, and statements that all can be read. */
export function isWellFormedPolicy(text: string): boolean {
  const json = parseJson(text);
  return isObject(json) && VERSIONS.includes(json["Version"]) && readPolicy(text).unreadable === 0;
}

/** Takes any text and never throws. */
export function readPolicy(text: string): PolicyDocument {
  const json = parseJson(text);
  const listed = isObject(json) ? json["Statement"] : undefined;
  if (listed === undefined) return { statements: [], unreadable: "document" };
  const members: readonly Json[] = Array.isArray(listed) ? listed : [listed as Json];
  const read = members.map(readStatement);
  return {
    statements: read.map((statement, at) => statement ?? (isDeny(members[at]) ? DENY_EVERYTHING : undefined)),
    unreadable: read.filter((statement) => statement === undefined).length,
  };
}

function isDeny(json: Json | undefined): boolean {
  return isObject(json) && json["Effect"] === "Deny";
}

function readStatement(json: Json): Statement | undefined {
  if (!isObject(json)) return undefined;
  const effect = json["Effect"];
  const principal = readPrincipal(json);
  const actions = readList(json, "Action");
  const resources = readList(json, "Resource");
  const conditions = readConditions(json["Condition"]);
  if (effect !== "Allow" && effect !== "Deny") return undefined;
  if (principal === undefined || actions === undefined || resources === "wrong" || conditions === undefined) {
    return undefined;
  }
  if (actions === "wrong" || actions === "missing") return undefined;
  const sid = typeof json["Sid"] === "string" ? json["Sid"] : undefined;
  return { sid, effect, principal, actions, resources: resources === "missing" ? undefined : resources, conditions };
}

function readList(json: JsonObject, name: "Action" | "Resource"): NegatableList | "missing" | "wrong" {
  const [plain, negated] = [json[name], json[`Not${name}`]];
  if (plain === undefined && negated === undefined) return "missing";
  const patterns = textsOf(plain ?? (negated as Json));
  if (patterns === undefined || (plain !== undefined && negated !== undefined)) return "wrong";
  return { isNegated: plain === undefined, patterns };
}

function readPrincipal(json: JsonObject): PrincipalClause | undefined {
  const [plain, negated] = [json["Principal"], json["NotPrincipal"]];
  if ((plain === undefined) === (negated === undefined)) return undefined;
  const value = plain ?? (negated as Json);
  const isNegated = plain === undefined;
  if (value === "*") return { isNegated, isEverybody: true, aws: [], services: [] };
  if (!isObject(value)) return undefined;
  const aws = textsOf(value["AWS"] ?? []);
  const services = textsOf(value["Service"] ?? []);
  if (aws === undefined || services === undefined) return undefined;
  return { isNegated, isEverybody: aws.includes("*"), aws, services };
}

function readConditions(json: Json | undefined): Condition[] | undefined {
  if (json === undefined) return [];
  if (!isObject(json)) return undefined;
  const conditions: Condition[] = [];
  for (const [operator, keys] of Object.entries(json)) {
    if (!isObject(keys)) return undefined;
    for (const [key, value] of Object.entries(keys)) {
      const values = textsOf(value);
      if (values === undefined) return undefined;
      conditions.push({ operator, key, values });
    }
  }
  return conditions;
}

/** Numbers and truth values may be written without quotes. */
function textsOf(json: Json): string[] | undefined {
  const values: readonly Json[] = Array.isArray(json) ? json : [json];
  const isText = (value: Json) => ["string", "number", "boolean"].includes(typeof value);
  return values.every(isText) ? values.map(String) : undefined;
}
