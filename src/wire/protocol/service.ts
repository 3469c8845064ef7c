// One AWS service as the wire serves it: its operations and the protocols that its clients speak. Everything that
// tells services apart is here, so that reading a request knows no service by name.

import type { Operation } from "./operation.ts";
import type { Renderer } from "./renderer.ts";

export interface Service {
  /** As signatures name it, and the first label of its host names: `sqs`. */
  name: string;
  operations: ReadonlyMap<string, Operation>;
  /** Absent: its clients speak no JSON. */
  json?: JsonDialect;
  /** Absent: its clients speak no Query. */
  query?: QueryDialect;
  /** Absent: its clients speak no REST. */
  rest?: RestDialect;
}

export interface RestDialect {
  /** Whether a path is one of this service's, of an operation that it has or not. */
  isPath: (pathParts: readonly string[]) => boolean;
  find: (method: string, pathParts: readonly string[]) => Operation | undefined;
  renderer: Renderer;
}

export interface JsonDialect {
  /** What comes before the dot in X-Amz-Target. */
  targetPrefix: string;
  renderer: Renderer;
}

export interface QueryDialect {
  /** What requests carry as Version. */
  version: string;
  xmlRenderer: Renderer;
  /** For callers that accept nothing but JSON. */
  jsonRenderer: Renderer;
  /** The text about an action that the service does not have. */
  unknownAction: (action: string) => string;
  /** Actions that cannot be sent to a path, which is the address of something else. */
  onlyAtRoot?: ReadonlySet<string>;
}

export function operationsByName(every: Record<string, Operation>): ReadonlyMap<string, Operation> {
  return new Map(Object.entries(every));
}
