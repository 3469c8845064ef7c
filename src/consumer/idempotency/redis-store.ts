// Keys in Redis or Valkey, held by a lease and a fencing number, changed only by scripts that compare the owner. Effects
// that are Redis commands can go into the script that saves the key. Everything else is at most as safe as its own
// idempotency: a crash after the effect and before the end is recorded lets the handler run again.
//
// A replica is behind its primary. A fail-over, or a crash with appendfsync everysec, can forget keys that were saved a
// moment before, and their duplicates then run.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { joinId } from "./key.ts";
import { BEGIN, BEGIN_NEWER, COMPLETE, RELEASE, RENEW } from "./redis-scripts.ts";
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

export interface RedisTransaction {
  /**
   * One command, run in the script that saves the key: all of them with it, or none. `key` is the command's first word. In
   * a cluster it must be in the record's slot. The command must be one that cannot fail, or the ones before it stay.
   */
  call(command: string, key: string, ...words: (string | number)[]): void;
}

export interface RedisStoreOptions {
  /** EVAL. node-redis: `(script, keys, args) => client.eval(script, { keys, arguments: args })`;
   * ioredis: `(script, keys, args) => client.eval(script, keys.length, ...keys, ...args)`. */
  evalScript: (script: string, keys: string[], args: string[]) => Promise<unknown>;
  /** Before every record's name. Default `millpond:idempotency:`. */
  prefix?: string;
  /** For tests. Left out, the server's time counts, the same for all workers. */
  clock?: Clock;
}

export function redisStore(
  options: RedisStoreOptions,
): IdempotencyStore<RedisTransaction> & VersionStore<RedisTransaction> {
  const { evalScript, prefix = "millpond:idempotency:", clock } = options;
  const now = () => (clock === undefined ? "" : String(clock.nowMs()));
  return {
    async begin(id: RecordId, request: BeginRequest): Promise<Begun<RedisTransaction>> {
      const record = prefix + joinId(id);
      const owner = randomUUID();
      const { leaseMs, keepForMs, fingerprint = "" } = request;
      const args = [owner, now(), String(leaseMs), String(keepForMs), fingerprint];
      const [verdict, detail] = (await evalScript(BEGIN, [record], args)) as [string, string | undefined];
      switch (verdict) {
        case "mine":
          return { is: "mine", claim: new RedisClaim(evalScript, record, owner, Number(detail), now) };
        case "done":
          return { is: "done", result: detail };
        case "busy":
          return { is: "busy", retryAfterMs: Number(detail) };
        default:
          return { is: "mismatch" };
      }
    },
    async beginNewer(id: RecordId, request: NewerRequest): Promise<BegunNewer<RedisTransaction>> {
      const record = prefix + joinId(id);
      const owner = randomUUID();
      const args = [owner, now(), String(request.leaseMs), String(request.keepForMs), String(request.version)];
      const [verdict, detail] = (await evalScript(BEGIN_NEWER, [record], args)) as [string, string];
      switch (verdict) {
        case "mine":
          return { is: "mine", claim: new RedisClaim(evalScript, record, owner, Number(detail), now) };
        case "stale":
          return { is: "stale", newest: BigInt(detail) };
        default:
          return { is: "busy", retryAfterMs: Number(detail) };
      }
    },
  };
}

class RedisClaim implements Claim<RedisTransaction> {
  readonly fence: number;
  readonly isLeased = true;
  readonly tx: RedisTransaction;
  readonly #evalScript: RedisStoreOptions["evalScript"];
  readonly #record: string;
  readonly #owner: string;
  readonly #now: () => string;
  readonly #keys: string[] = [];
  readonly #effects: string[] = [];

  constructor(
    evalScript: RedisStoreOptions["evalScript"],
    record: string,
    owner: string,
    fence: number,
    now: () => string,
  ) {
    this.#evalScript = evalScript;
    this.#record = record;
    this.#owner = owner;
    this.#now = now;
    this.fence = fence;
    this.tx = {
      call: (command, key, ...words) => {
        this.#keys.push(key);
        this.#effects.push(String(words.length + 2), command, key, ...words.map(String));
      },
    };
  }

  renew(leaseMs: number): Promise<boolean> {
    return this.#run(RENEW, [], [this.#now(), String(leaseMs)]);
  }

  complete(result: string | undefined, keepForMs: number): Promise<boolean> {
    const saved = result === undefined ? ["0", ""] : ["1", result];
    return this.#run(COMPLETE, this.#keys, [this.#now(), String(keepForMs), ...saved, ...this.#effects]);
  }

  async release(): Promise<void> {
    await this.#run(RELEASE, [], []);
  }

  async #run(script: string, keys: string[], args: string[]): Promise<boolean> {
    return Number(await this.#evalScript(script, [this.#record, ...keys], [this.#owner, ...args])) === 1;
  }
}
