// What a store of idempotency keys promises, whatever it is made of. Every store passes tests/idempotency/contract.ts.
//
// A record is in one of three states, and only `begin` and its claim change it:
//
//   (none) --begin--> running --complete--> done --keepForMs--> (none)
//                     |   ^
//             release |   | begin: released, or the lease has run out
//                     v   |
//                     free
//
// A claim is the ownership of a running record. It can be lost: when its lease runs out, a rival's `begin` takes the
// record over, and from then on every call of the old claim answers false and changes nothing.

export interface RecordId {
  /** Keeps apart consumers that share a store. */
  scope: string;
  /** What the work is known by, at most 1,000 bytes. */
  key: string;
}

export interface BeginRequest {
  /** How long the claim holds without being renewed, milliseconds. */
  leaseMs: number;
  /** How long the record is kept, milliseconds; never less than the lease. */
  keepForMs: number;
  /** A hash of what the key stands for. Left out, nothing is compared. */
  fingerprint?: string | undefined;
}

export type Begun<Tx> =
  /** The caller alone may do the work now. */
  | { is: "mine"; claim: Claim<Tx> }
  /** The work was done. `result` is what its claim was completed with. */
  | { is: "done"; result: string | undefined }
  /** Somebody is at it. `retryAfterMs` is when asking again can help, an estimate. */
  | { is: "busy"; retryAfterMs: number }
  /** The key is known, with another fingerprint. */
  | { is: "mismatch" };

export interface Claim<Tx> {
  /** Grows with every claim of one record: a system that remembers the highest can refuse an owner who is late. */
  readonly fence: number;
  /** Takes effects that happen together with `complete` or not at all. Its shape is the store's. */
  readonly tx: Tx;
  /** False: the claim lasts until it is completed, released, or its connection ends, and needs no renewing. */
  readonly isLeased: boolean;
  /** Holds on for `leaseMs` from now. False: the ownership is lost. */
  renew(leaseMs: number): Promise<boolean>;
  /**
   * Saves the result and makes the transaction's effects happen, both or neither. False: the ownership was lost, nothing
   * was saved and no effect of the transaction happened. Rejects with EffectsRefused when nothing was saved because of
   * the effects, and with anything else when the store cannot tell; asking again is safe in a leased store, and elsewhere
   * the next `begin` finds out.
   */
  complete(result: string | undefined, keepForMs: number): Promise<boolean>;
  /** Gives the record up undone, and drops the transaction's effects, so that the next `begin` may have it at once. */
  release(): Promise<void>;
}

export interface IdempotencyStore<Tx = unknown> {
  /** Atomic: of any number of callers with one id, one gets the claim. Rejects when the store is out of reach. */
  begin(id: RecordId, request: BeginRequest): Promise<Begun<Tx>>;
  /** Deletes up to `limit` records that are past their time and answers how many. Absent where the store does it itself. */
  sweep?(limit: number): Promise<number>;
}

export interface NewerRequest {
  /** Of the entity that the record is of. */
  version: bigint;
  /** How long the claim holds without being renewed, milliseconds. */
  leaseMs: number;
  /** How long the record is kept, milliseconds; never less than the lease. */
  keepForMs: number;
}

export type BegunNewer<Tx> =
  /** The version is newer, and the caller alone may work on the entity. The claim is completed with the version as text. */
  | { is: "mine"; claim: Claim<Tx> }
  /** The version is not newer than `newest`, which was handled. */
  | { is: "stale"; newest: bigint }
  /** Somebody works on another version. `retryAfterMs` is when asking again can help, an estimate. */
  | { is: "busy"; retryAfterMs: number };

/**
 * A store that remembers the newest version of an entity, as the result of its record: the same claims, leases and
 * transactions. A claim that is not completed leaves the version as it was. Passes tests/idempotency/newest-contract.ts.
 */
export interface VersionStore<Tx = unknown> {
  /** Atomic: of any number of callers with one id, one gets the claim. Rejects when the store is out of reach. */
  beginNewer(id: RecordId, request: NewerRequest): Promise<BegunNewer<Tx>>;
}

/** The transaction cannot be committed as it is, and was not: an effect's own condition failed, or a constraint. */
export class EffectsRefused extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "EffectsRefused";
  }
}
