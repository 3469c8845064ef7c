// Keys in DynamoDB. Begin is one conditional write; the end is one TransactWriteItems with the key's update and the
// handler's effects, under the condition that the ownership still holds: both happen or neither.
//
// DynamoDB has no clock to ask, so the workers' clocks count. A lease is taken over only when it has run out by
// `clockSkewMs` more: workers whose clocks differ by less never take over from each other early. With clocks that are
// further apart the transaction's condition still keeps its effects from happening twice.

import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type Clock, systemClock } from "../../base/clock.ts";
import {
  type AttributeValue,
  cancellationCodes,
  type DynamoDb,
  type Item,
  isNamed,
  type TransactWriteItem,
} from "./dynamodb-port.ts";
import { KEY_NAME_DEFAULT, TTL_NAME } from "./dynamodb-table.ts";
import { joinId } from "./key.ts";
import { judge, type StoredRecord } from "./record.ts";
import {
  type BeginRequest,
  type Begun,
  type Claim,
  EffectsRefused,
  type IdempotencyStore,
  type RecordId,
} from "./store.ts";

/** DynamoDB takes 100 actions; one is the key's. */
const EFFECTS_MAX = 99;
/** A record can change between a refused claim and the look at why; then the claim is tried again. */
const TRIES_MAX = 5;
/** Told to who lost every one of those races. */
const RETRY_AFTER_MS = 100;
/** Another transaction has one of the items in hand; such a conflict lasts milliseconds. */
const CONFLICT_WAIT_MS = 20;
/** DynamoDB removes items up to days after their time, and never before; an hour more keeps skewed clocks out of it. */
const TTL_MARGIN_SECONDS = 3_600;

export interface DynamoDbTransaction {
  /** One Put, Update, Delete or ConditionCheck; at most 99, and none on the key's own item. */
  write(item: TransactWriteItem): void;
}

export interface DynamoDbStoreOptions {
  /** `new DynamoDB({…})` of @aws-sdk/client-dynamodb. */
  client: DynamoDb;
  /** As in dynamoDbTable(table). */
  table: string;
  /** The table's partition key, a string. Default `pk`. */
  keyName?: string;
  /** By how much workers' clocks may differ, milliseconds. Default 5,000. */
  clockSkewMs?: number;
  /** Default the system's: leases and expiry are by it. */
  clock?: Clock;
}

export function dynamoDbStore(options: DynamoDbStoreOptions): IdempotencyStore<DynamoDbTransaction> {
  return new DynamoDbStore(options);
}

class DynamoDbStore implements IdempotencyStore<DynamoDbTransaction> {
  readonly client: DynamoDb;
  readonly table: string;
  readonly keyName: string;
  readonly clock: Clock;
  readonly #clockSkewMs: number;

  constructor(options: DynamoDbStoreOptions) {
    this.client = options.client;
    this.table = options.table;
    this.keyName = options.keyName ?? KEY_NAME_DEFAULT;
    this.clock = options.clock ?? systemClock;
    this.#clockSkewMs = options.clockSkewMs ?? 5_000;
  }

  async begin(id: RecordId, request: BeginRequest): Promise<Begun<DynamoDbTransaction>> {
    const name = joinId(id);
    const owner = randomUUID();
    for (let tries = 1; ; tries++) {
      const nowMs = this.clock.nowMs();
      const found = await this.#claim(name, owner, request, nowMs);
      // The SDK repeats a write whose answer was lost; the repeat then finds its own claim in the way.
      if (found?.owner === owner && found.state === "running")
        return { is: "mine", claim: new DynamoDbClaim(this, name, owner, found.fence) };
      const judged = judge(found, request.fingerprint, nowMs, this.#clockSkewMs);
      if (judged.is !== "open") return judged;
      if (tries === TRIES_MAX) return { is: "busy", retryAfterMs: RETRY_AFTER_MS };
    }
  }

  key(name: string): Item {
    return { [this.keyName]: { S: name } };
  }

  /** The record as it is after the try: claimed by `owner`, or what stands in the way. */
  async #claim(name: string, owner: string, request: BeginRequest, nowMs: number): Promise<StoredRecord | undefined> {
    const { fingerprint, leaseMs, keepForMs } = request;
    const expiresAtMs = nowMs + keepForMs;
    const isFree = "(#state = :free OR (#state = :running AND #leaseUntilMs <= :ranOut))";
    // DynamoDB refuses parentheses that are not needed.
    const mayTake =
      fingerprint === undefined
        ? isFree
        : `((attribute_not_exists(#fingerprint) OR #fingerprint = :fingerprint) AND ${isFree})`;
    const values: Item = {
      ":running": { S: "running" },
      ":free": { S: "free" },
      ":owner": { S: owner },
      ":zero": { N: "0" },
      ":one": { N: "1" },
      ":now": numberOf(nowMs),
      ":ranOut": numberOf(nowMs - this.#clockSkewMs),
      ":lease": numberOf(nowMs + leaseMs),
      ":expires": numberOf(expiresAtMs),
      ":ttl": numberOf(ttlOf(expiresAtMs)),
    };
    if (fingerprint !== undefined) values[":fingerprint"] = { S: fingerprint };
    const names: Record<string, string> = { ...NAMES, "#key": this.keyName };
    try {
      const { Attributes } = await this.client.updateItem({
        TableName: this.table,
        Key: this.key(name),
        UpdateExpression: `SET #state = :running, #owner = :owner, #fence = if_not_exists(#fence, :zero) + :one, #leaseUntilMs = :lease, #expiresAtMs = :expires, #ttl = :ttl${
          fingerprint === undefined ? " REMOVE #result, #fingerprint" : ", #fingerprint = :fingerprint REMOVE #result"
        }`,
        ConditionExpression: `attribute_not_exists(#key) OR #expiresAtMs <= :now OR ${mayTake}`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      return recordOf(Attributes);
    } catch (error) {
      if (!isNamed(error, "ConditionalCheckFailedException")) throw error;
      // SDKs before 2023 do not bring the item along.
      return recordOf((error as { Item?: Item }).Item) ?? (await this.read(name));
    }
  }

  async read(name: string): Promise<StoredRecord | undefined> {
    const { Item } = await this.client.getItem({ TableName: this.table, Key: this.key(name), ConsistentRead: true });
    return recordOf(Item);
  }
}

class DynamoDbClaim implements Claim<DynamoDbTransaction> {
  readonly fence: number;
  readonly isLeased = true;
  readonly tx: DynamoDbTransaction;
  readonly #store: DynamoDbStore;
  readonly #name: string;
  readonly #owner: string;
  readonly #effects: TransactWriteItem[] = [];

  constructor(store: DynamoDbStore, name: string, owner: string, fence: number) {
    this.#store = store;
    this.#name = name;
    this.#owner = owner;
    this.fence = fence;
    this.tx = {
      write: (item) => {
        if (this.#effects.length === EFFECTS_MAX)
          throw new RangeError(`A DynamoDB transaction takes ${EFFECTS_MAX} effects beside the key.`);
        this.#effects.push(item);
      },
    };
  }

  async renew(leaseMs: number): Promise<boolean> {
    const untilMs = this.#store.clock.nowMs() + leaseMs;
    return this.#ifMine("SET #leaseUntilMs = :lease", ["#leaseUntilMs"], { ":lease": numberOf(untilMs) });
  }

  async complete(result: string | undefined, keepForMs: number): Promise<boolean> {
    const expiresAtMs = this.#store.clock.nowMs() + keepForMs;
    const names = ["#state", "#expiresAtMs", "#ttl"];
    const values: Item = {
      ":done": { S: "done" },
      ":expires": numberOf(expiresAtMs),
      ":ttl": numberOf(ttlOf(expiresAtMs)),
    };
    let update = "SET #state = :done, #expiresAtMs = :expires, #ttl = :ttl";
    if (result !== undefined) {
      update += ", #result = :result";
      names.push("#result");
      values[":result"] = { S: result };
    }
    const actions = [{ Update: this.#update(update, names, values) }, ...this.#effects];
    for (let tries = 1; ; tries++) {
      try {
        // The SDK adds a ClientRequestToken, so that its own repeat of a lost answer counts as the first.
        await this.#store.client.transactWriteItems({ TransactItems: actions });
        return true;
      } catch (error) {
        if (!isNamed(error, "TransactionCanceledException")) throw error;
        const [ofKey, ...ofEffects] = cancellationCodes(error);
        if (ofKey === "ConditionalCheckFailed") return this.#isDone();
        const isConflict = [ofKey, ...ofEffects].includes("TransactionConflict");
        if (!isConflict) throw new EffectsRefused(error);
        if (tries === TRIES_MAX) throw error;
        await setTimeout(CONFLICT_WAIT_MS * tries);
      }
    }
  }

  /** An earlier `complete` may have got through without its answer. */
  async #isDone(): Promise<boolean> {
    const held = await this.#store.read(this.#name);
    return held?.owner === this.#owner && held.state === "done";
  }

  async release(): Promise<void> {
    await this.#ifMine("SET #state = :free", ["#state"], { ":free": { S: "free" } });
  }

  async #ifMine(update: string, names: string[], values: Item): Promise<boolean> {
    try {
      await this.#store.client.updateItem(this.#update(update, names, values));
      return true;
    } catch (error) {
      if (isNamed(error, "ConditionalCheckFailedException")) return false;
      throw error;
    }
  }

  #update(update: string, names: string[], values: Item): object {
    const used = [...new Set([...names, "#owner", "#state"])];
    return {
      TableName: this.#store.table,
      Key: this.#store.key(this.#name),
      UpdateExpression: update,
      ConditionExpression: "#owner = :owner AND #state = :running",
      ExpressionAttributeNames: Object.fromEntries(used.map((name) => [name, name.slice(1)])),
      ExpressionAttributeValues: { ...values, ":owner": { S: this.#owner }, ":running": { S: "running" } },
    };
  }
}

/** Several of them are reserved words. */
const NAMES = Object.fromEntries(
  ["state", "owner", "fence", "fingerprint", "result", "leaseUntilMs", "expiresAtMs", TTL_NAME].map((name) => [
    `#${name}`,
    name,
  ]),
);

function numberOf(value: number): AttributeValue {
  return { N: String(value) };
}

function ttlOf(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1_000) + TTL_MARGIN_SECONDS;
}

function recordOf(item: Item | undefined): StoredRecord | undefined {
  if (item === undefined) return undefined;
  return {
    state: item["state"].S,
    owner: item["owner"].S,
    fence: Number(item["fence"].N),
    fingerprint: item["fingerprint"]?.S,
    result: item["result"]?.S,
    leaseUntilMs: Number(item["leaseUntilMs"].N),
    expiresAtMs: Number(item["expiresAtMs"].N),
  };
}
