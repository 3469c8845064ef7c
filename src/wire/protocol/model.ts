// The vocabulary in which the generated tables (wire/models) describe a service: shapes, the members of structures
// with the names they go by in the Query protocol, and operations. Pure data; reading input against a shape is
// shape.ts's and query-input.ts's work, and the value types follow from the tables themselves.

export type Shape =
  | { is: "text" }
  | { is: "integer" }
  | { is: "boolean" }
  | { is: "blob" }
  /** Seconds since 1970, as REST-JSON writes them. */
  | { is: "timestamp" }
  | { is: "list"; of: Shape; elementName: string }
  | { is: "map"; keyName: string; valueName: string; of: Shape }
  | Structure;

export interface Structure {
  is: "structure";
  name: string;
  members: Record<string, Member>;
}

export interface Member<Of = Shape> {
  shape: Of;
  required: boolean;
  /** What the member is called in Query requests and in XML answers. */
  queryName: string;
  /** Whether list and map entries repeat under the member's own name instead of a `member`/`entry` level. */
  flattened: boolean;
}

export interface OperationModel {
  input: Structure;
  /** Absent when the operation answers with nothing. */
  output?: Structure;
  /** REST services only. */
  http?: HttpBinding;
}

/** Where a REST operation is in HTTP. Members that are named nowhere here are in the body, as one JSON document. */
export interface HttpBinding {
  method: string;
  /** `/2015-03-31/functions/{FunctionName}/code`: parts in braces are members of the input. */
  path: string;
  status: number;
  /** Members of the input in the query string, by name, with what they are called there. */
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** The member that is the whole body, as bytes. */
  payload?: string;
  answerHeaders?: Readonly<Record<string, string>>;
  answerPayload?: string;
  /** The member of the output that says the status, over `status`. */
  answerStatus?: string;
}

/** An error shape as the model spells it: its Query code and its HTTP status. */
export interface ErrorModel {
  queryCode: string;
  status: number;
}

/** What an operation gets: every member may be absent, since clients leave out what they like. */
export type InputOf<S> = S extends { is: "text" }
  ? string
  : S extends { is: "integer" } | { is: "timestamp" }
    ? number
    : S extends { is: "boolean" }
      ? boolean
      : S extends { is: "blob" }
        ? Uint8Array
        : S extends { is: "list"; of: infer Element }
          ? InputOf<Element>[]
          : S extends { is: "map"; of: infer Element }
            ? Record<string, InputOf<Element>>
            : S extends { is: "structure"; members: infer Members }
              ? { [Name in keyof Members]?: InputOf<Members[Name] extends { shape: infer Inner } ? Inner : never> }
              : never;

/** What an operation answers: blobs already as base64, as they stand in documents; bytes where they are the body. */
export type OutputOf<S> = S extends { is: "text" }
  ? string
  : S extends { is: "blob" }
    ? string | Uint8Array
    : S extends { is: "integer" } | { is: "timestamp" }
      ? number
      : S extends { is: "boolean" }
        ? boolean
        : S extends { is: "list"; of: infer Element }
          ? OutputOf<Element>[]
          : S extends { is: "map"; of: infer Element }
            ? Record<string, OutputOf<Element>>
            : S extends { is: "structure"; members: infer Members }
              ? {
                  [Name in keyof Members]?:
                    | OutputOf<Members[Name] extends { shape: infer Inner } ? Inner : never>
                    | undefined;
                }
              : never;

export const text = { is: "text" } as const;
export const integer = { is: "integer" } as const;
export const boolean = { is: "boolean" } as const;
export const blob = { is: "blob" } as const;
export const timestamp = { is: "timestamp" } as const;

export function list<Of extends Shape>(of: Of, elementName = "member") {
  return { is: "list" as const, of, elementName };
}

export function map<Of extends Shape>(keyName: string, valueName: string, of: Of) {
  return { is: "map" as const, keyName, valueName, of };
}

type Draft<Of extends Shape> = { shape: Of; required: boolean; queryName?: string; flattened: boolean };
type Named<Members extends Record<string, Draft<Shape>>> = {
  -readonly [Name in keyof Members]: Member<Members[Name]["shape"]>;
};
type Layout = "flattened" | "wrapped";

export function required<Of extends Shape>(shape: Of, queryName?: string, layout?: Layout): Draft<Of> {
  return draft(shape, true, queryName, layout);
}

export function optional<Of extends Shape>(shape: Of, queryName?: string, layout?: Layout): Draft<Of> {
  return draft(shape, false, queryName, layout);
}

/** Members whose query name is not given go by their own name. */
export function structure<Members extends Record<string, Draft<Shape>>>(name: string, members: Members) {
  const named: Record<string, Member> = {};
  for (const [own, member] of Object.entries(members)) named[own] = { ...member, queryName: member.queryName ?? own };
  return { is: "structure" as const, name, members: named as Named<Members> };
}

function draft<Of extends Shape>(
  shape: Of,
  isRequired: boolean,
  queryName: string | undefined,
  layout: Layout | undefined,
): Draft<Of> {
  const made: Draft<Of> = { shape, required: isRequired, flattened: layout === "flattened" };
  if (queryName !== undefined) made.queryName = queryName;
  return made;
}
