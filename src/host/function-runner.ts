// The port through which the host has functions run. Whoever implements it keeps their code, runs them and works off
// their event source mappings; the host keeps the records and tells of each change.

import type { Result } from "../base/result.ts";
import type { CommandOf, FunctionRecord, InvokeAnswer, MappingRecord } from "../engine/command.ts";
import type { Refusal } from "../engine/refusal.ts";

/** Called in the turn of the change, before it is durable: what follows from it must bear its being taken back. */
export interface FunctionListener {
  /** All that there is: at the start, and again after the catalog was read again or wiped. */
  onCatalog(functions: FunctionRecord[], mappings: MappingRecord[]): void;
  /** It is new, or another than it was. */
  onFunctionChanged(record: FunctionRecord): void;
  onFunctionRemoved(record: FunctionRecord): void;
  /**
   * It is new, or another than it was; `state` says what is wanted. Whoever listens calls `Host.mappingFollowed` when it
   * does as the record says, which ends a transitional state: for a mapping that is `Deleting`, when nothing of it is
   * under way any more.
   */
  onMappingChanged(record: MappingRecord): void;
  onMappingRemoved(record: MappingRecord): void;
}

export interface FunctionRunner extends FunctionListener {
  /** Resolves when the code is on disk to stay. */
  keepCode(zip: Uint8Array): Promise<Result<{ sha256: string; bytes: number }, Refusal>>;
  /** The function and the version are there. */
  invoke(record: FunctionRecord, command: CommandOf<"invokeFunction">): Promise<Result<InvokeAnswer, Refusal>>;
}
