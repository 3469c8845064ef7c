// Keys in this process's memory: for tests, and for one process whose duplicates come within its life. A restart
// forgets everything, so behind a queue this protects from nothing that a crash causes.

import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../../base/clock.ts";
import { joinId } from "./key.ts";
import { judge, judgeNewer, type StoredRecord } from "./record.ts";
import type {
  BeginRequest,
  Begun,
  BegunNewer,
  Claim,
  IdempotencyStore,
  NewerRequest,
  RecordId,
  VersionStore,
} from "./store.ts";

export interface MemoryTransaction {
  /** Runs in the same turn as the key is saved. Must not throw. */
  write(effect: () => void): void;
}

export function memoryStore(options: { clock?: Clock } = {}): MemoryStore {
  return new MemoryStore(options.clock ?? systemClock);
}

export class MemoryStore implements IdempotencyStore<MemoryTransaction>, VersionStore<MemoryTransaction> {
  readonly #clock: Clock;
  readonly #records = new Map<string, StoredRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async begin(id: RecordId, request: BeginRequest): Promise<Begun<MemoryTransaction>> {
    const name = joinId(id);
    const nowMs = this.#clock.nowMs();
    const found = this.#records.get(name);
    const judged = judge(found, request.fingerprint, nowMs);
    if (judged.is !== "open") return judged;
    return { is: "mine", claim: this.#claim(name, { ...request, result: undefined }) };
  }

  async beginNewer(id: RecordId, request: NewerRequest): Promise<BegunNewer<MemoryTransaction>> {
    const name = joinId(id);
    const nowMs = this.#clock.nowMs();
    const found = this.#records.get(name);
    const judged = judgeNewer(found, request.version, nowMs);
    if (judged.is !== "open") return judged;
    const isKnown = found !== undefined && found.expiresAtMs > nowMs;
    return { is: "mine", claim: this.#claim(name, { ...request, result: isKnown ? found.result : undefined }) };
  }

  #claim(name: string, request: BeginRequest & Pick<StoredRecord, "result">): MemoryClaim {
    const nowMs = this.#clock.nowMs();
    const record: StoredRecord = {
      state: "running",
      owner: randomUUID(),
      fence: (this.#records.get(name)?.fence ?? 0) + 1,
      fingerprint: request.fingerprint,
      result: request.result,
      leaseUntilMs: nowMs + request.leaseMs,
      expiresAtMs: nowMs + request.keepForMs,
    };
    this.#records.set(name, record);
    return new MemoryClaim(record, () => this.#records.get(name) === record, this.#clock);
  }

  async sweep(limit: number): Promise<number> {
    const nowMs = this.#clock.nowMs();
    let swept = 0;
    for (const [name, record] of this.#records) {
      if (swept >= limit) break;
      if (record.expiresAtMs > nowMs) continue;
      this.#records.delete(name);
      swept++;
    }
    return swept;
  }
}

class MemoryClaim implements Claim<MemoryTransaction> {
  readonly fence: number;
  readonly isLeased = true;
  readonly tx: MemoryTransaction;
  readonly #record: StoredRecord;
  readonly #isMine: () => boolean;
  readonly #clock: Clock;
  readonly #effects: (() => void)[] = [];

  constructor(record: StoredRecord, isMine: () => boolean, clock: Clock) {
    this.#record = record;
    this.#isMine = isMine;
    this.#clock = clock;
    this.fence = record.fence;
    this.tx = { write: (effect) => void this.#effects.push(effect) };
  }

  async renew(leaseMs: number): Promise<boolean> {
    if (!this.#isRunning()) return false;
    this.#record.leaseUntilMs = this.#clock.nowMs() + leaseMs;
    this.#record.expiresAtMs = Math.max(this.#record.expiresAtMs, this.#record.leaseUntilMs);
    return true;
  }

  async complete(result: string | undefined, keepForMs: number): Promise<boolean> {
    if (!this.#isMine()) return false;
    if (this.#record.state === "done") return true;
    if (this.#record.state === "free") return false;
    for (const effect of this.#effects) effect();
    this.#record.state = "done";
    this.#record.result = result;
    this.#record.expiresAtMs = this.#clock.nowMs() + keepForMs;
    return true;
  }

  async release(): Promise<void> {
    if (this.#isRunning()) this.#record.state = "free";
  }

  #isRunning(): boolean {
    return this.#isMine() && this.#record.state === "running";
  }
}
