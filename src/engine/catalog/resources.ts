// The catalog's other residents: everything that is not a queue and has a name, by type and key. Facts carry whole
// records (ResourceRecorded, ResourceForgotten), so a record is replaced and never changed in place: who derives
// something from one may keep it by the record's identity.

import type { FunctionRecord } from "../function/function-record.ts";
import type { MappingRecord } from "../function/mapping-record.ts";
import type { SmsAttributesRecord } from "../topic/sms-attributes.ts";
import type { SubscriptionRecord } from "../topic/subscription-record.ts";
import type { TopicRecord } from "../topic/topic-record.ts";
import type { UnsubscribedRecord } from "../topic/unsubscribed-record.ts";

/** Each type of resource and what is kept of one. Types are in the log by name: never rename one. */
export interface ResourceTypes {
  /** By topic ARN. */
  topic: TopicRecord;
  /** By subscription ARN. */
  subscription: SubscriptionRecord;
  /** By the ARN of the subscription that it was. */
  unsubscribed: UnsubscribedRecord;
  /** By function ARN. */
  function: FunctionRecord;
  /** By the mapping's own ARN. */
  mapping: MappingRecord;
  /** By `region:account`. */
  smsAttributes: SmsAttributesRecord;
}

export type ResourceType = keyof ResourceTypes;

/** A record as a fact carries it. */
export type ResourceEntry = {
  [Type in ResourceType]: { type: Type; key: string; record: ResourceTypes[Type] };
}[ResourceType];

/** What else records of a type are found by (`find`); at most one record has a name. */
const NAMES: { [Type in ResourceType]?: (record: ResourceTypes[Type], key: string) => string[] } = {
  subscription: ({ token, protocol, endpoint }, key) => [token, endpointName(parentKey(key), protocol, endpoint)],
  unsubscribed: ({ token }) => [token],
};

/** A topic has one subscription of an endpoint at most. */
export function endpointName(topicArn: string, protocol: string, endpoint: string): string {
  return `${topicArn} ${protocol} ${endpoint}`;
}

export class Resources {
  readonly #byType = new Map<ResourceType, Map<string, ResourceTypes[ResourceType]>>();
  /** Keys of resources by the part of their key before the last colon: a topic's subscriptions, a function's mappings. */
  readonly #byParent = new Map<string, Set<string>>();
  readonly #revisions = new Map<string, number>();
  /** Keys by type and name. */
  readonly #byName = new Map<string, string>();

  get<Type extends ResourceType>(type: Type, key: string): ResourceTypes[Type] | undefined {
    return this.#byType.get(type)?.get(key) as ResourceTypes[Type] | undefined;
  }

  /** By one of its names. */
  find<Type extends ResourceType>(type: Type, name: string): ResourceTypes[Type] | undefined {
    const key = this.#byName.get(`${type}/${name}`);
    return key === undefined ? undefined : this.get(type, key);
  }

  /** In order of creation. */
  values<Type extends ResourceType>(type: Type): IterableIterator<ResourceTypes[Type]> {
    return (this.#byType.get(type) ?? new Map()).values() as IterableIterator<ResourceTypes[Type]>;
  }

  /** Resources whose key is `parent:...`, in order of creation. */
  *childrenOf<Type extends ResourceType>(type: Type, parent: string): Generator<ResourceTypes[Type]> {
    for (const key of this.#byParent.get(`${type}/${parent}`) ?? []) {
      const record = this.get(type, key);
      if (record !== undefined) yield record;
    }
  }

  childCount(type: ResourceType, parent: string): number {
    return this.#byParent.get(`${type}/${parent}`)?.size ?? 0;
  }

  /** Grows with every change of a child of `parent`: what was derived from the children is good while it stays. */
  revisionOf(type: ResourceType, parent: string): number {
    return this.#revisions.get(`${type}/${parent}`) ?? 0;
  }

  /** For snapshots. */
  *entries(): Generator<ResourceEntry> {
    for (const [type, records] of this.#byType) {
      for (const [key, record] of records) yield { type, key, record } as ResourceEntry;
    }
  }

  put({ type, key, record }: ResourceEntry): void {
    let records = this.#byType.get(type);
    if (records === undefined) {
      records = new Map();
      this.#byType.set(type, records);
    }
    const before = records.get(key);
    if (before !== undefined) this.#unname(type, key, before);
    records.set(key, record);
    for (const name of namesOf(type, key, record)) this.#byName.set(name, key);
    const parent = parentOf(type, key);
    let children = this.#byParent.get(parent);
    if (children === undefined) {
      children = new Set();
      this.#byParent.set(parent, children);
    }
    children.add(key);
    this.#touch(parent);
  }

  remove(type: ResourceType, key: string): void {
    const before = this.get(type, key);
    if (before !== undefined) this.#unname(type, key, before);
    const records = this.#byType.get(type);
    records?.delete(key);
    // As if there had never been one: a snapshot does not say that there was, and order is to survive it.
    if (records?.size === 0) this.#byType.delete(type);
    const parent = parentOf(type, key);
    const children = this.#byParent.get(parent);
    children?.delete(key);
    if (children?.size === 0) this.#byParent.delete(parent);
    this.#touch(parent);
  }

  clear(): void {
    for (const parent of this.#byParent.keys()) this.#touch(parent);
    this.#byType.clear();
    this.#byParent.clear();
    this.#byName.clear();
  }

  #unname(type: ResourceType, key: string, record: ResourceTypes[ResourceType]): void {
    for (const name of namesOf(type, key, record)) if (this.#byName.get(name) === key) this.#byName.delete(name);
  }

  #touch(parent: string): void {
    this.#revisions.set(parent, (this.#revisions.get(parent) ?? 0) + 1);
  }
}

function namesOf(type: ResourceType, key: string, record: ResourceTypes[ResourceType]): string[] {
  const names = NAMES[type] as ((record: ResourceTypes[ResourceType], key: string) => string[]) | undefined;
  return names?.(record, key).map((name) => `${type}/${name}`) ?? [];
}

function parentOf(type: ResourceType, key: string): string {
  return `${type}/${parentKey(key)}`;
}

function parentKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf(":")));
}
