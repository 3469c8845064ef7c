// All tests of one field's values, arranged so that one lookup finds every test that a value passes: a hash for equal
// values, tries for prefixes and suffixes, anchors for wildcards, interval trees for numbers and addresses. Equal tests
// share an entry. Cost of a lookup: O(characters of the value + log ranges + entries found); for anything-but, which
// nearly everything passes, those it excludes are found and the rest listed.

import { addressKey } from "../../base/ip-address.ts";
import type { Scalar } from "./json.ts";
import { type Interval, RangeIndex } from "./range-index.ts";
import { Trie } from "./trie.ts";
import { testKey, type ValueTest } from "./value-test.ts";
import { WildcardIndex, type WildcardItem } from "./wildcard-index.ts";

/** A test and those who wait for values that pass it. */
export interface Entry<Member> {
  readonly test: ValueTest;
  readonly members: Member[];
  /** The lookup that last found this entry excluded. */
  excludedAt: number;
}

type TextEntry<Member> = Entry<Member> & WildcardItem;
type RangeEntry<Member, Key> = Entry<Member> & Interval<Key>;

/** What a test that many values pass counts as, when a rule chooses where to wait. */
const HARDLY_SELECTIVE = 1000;
/** Of ranges, one in so many is taken to hold a value; however many there are, that beats what all values pass. */
const RANGES_PER_HIT = 4;
const TEXT_END = 2;

export class ValueIndex<Member> {
  readonly #entries = new Map<string, Entry<Member>>();
  readonly #equal = new Map<Scalar, Entry<Member>>();
  readonly #lowerCase = new Map<string, Entry<Member>>();
  readonly #prefixes = new Trie<Entry<Member>>(1);
  readonly #suffixes = new Trie<Entry<Member>>(-1);
  readonly #lowerPrefixes = new Trie<Entry<Member>>(1);
  readonly #lowerSuffixes = new Trie<Entry<Member>>(-1);
  readonly #wildcards = new WildcardIndex<TextEntry<Member>>();
  readonly #numbers = new RangeIndex<number, RangeEntry<Member, number>>();
  readonly #addresses = new RangeIndex<string, RangeEntry<Member, string>>();
  #anythingBut: Entry<Member>[] = [];
  #exclusions: ValueIndex<Entry<Member>> | undefined;
  #present: Entry<Member> | undefined;
  #ignoringCaseCount = 0;
  #wildcardCount = 0;
  #lookups = 0;

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  add(test: ValueTest, member: Member): void {
    const key = testKey(test);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = newEntry(test);
      this.#entries.set(key, entry);
      this.#place(entry);
    }
    entry.members.push(member);
  }

  /** `member` was added with this test. */
  remove(test: ValueTest, member: Member): void {
    const key = testKey(test);
    const entry = this.#entries.get(key) as Entry<Member>;
    entry.members.splice(entry.members.indexOf(member), 1);
    if (entry.members.length > 0) return;
    this.#entries.delete(key);
    this.#displace(entry);
  }

  /** A guess at how many members a value that brings up this test brings up. Low is good. */
  crowd(test: ValueTest): number {
    const members = this.#entries.get(testKey(test))?.members.length ?? 0;
    switch (test.is) {
      case "equals":
      case "equalsIgnoreCase":
        return members;
      case "prefix":
      case "suffix":
        return members + TEXT_END + (test.text === "" ? HARDLY_SELECTIVE : 0);
      case "wildcard":
        return members + TEXT_END + (test.pieces.every((piece) => piece === "") ? HARDLY_SELECTIVE : 0);
      case "range":
        return members + rangeCrowd(this.#numbers.size);
      case "address":
        return members + rangeCrowd(this.#addresses.size);
      case "anythingBut":
        return HARDLY_SELECTIVE + this.#anythingBut.length;
      case "present":
        return HARDLY_SELECTIVE + members;
    }
  }

  /** Adds to `found` each entry whose test `value` passes, once. */
  collect(value: Scalar, found: Entry<Member>[]): void {
    const equal = this.#equal.get(value);
    if (equal !== undefined) found.push(equal);
    if (this.#present !== undefined) found.push(this.#present);
    if (typeof value === "string") this.#collectText(value, found);
    else if (typeof value === "number" && this.#numbers.size > 0) this.#numbers.collect(value, found as never[]);
    if (this.#anythingBut.length > 0) this.#collectOthers(value, found);
  }

  #collectText(value: string, found: Entry<Member>[]): void {
    if (this.#prefixes.size > 0) this.#prefixes.collect(value, found);
    if (this.#suffixes.size > 0) this.#suffixes.collect(value, found);
    if (this.#wildcardCount > 0) this.#wildcards.collect(value, found as TextEntry<Member>[]);
    if (this.#ignoringCaseCount > 0) this.#collectLowerCase(value.toLowerCase(), found);
    if (this.#addresses.size === 0) return;
    const key = addressKey(value);
    if (key !== undefined) this.#addresses.collect(key, found as RangeEntry<Member, string>[]);
  }

  #collectLowerCase(value: string, found: Entry<Member>[]): void {
    const equal = this.#lowerCase.get(value);
    if (equal !== undefined) found.push(equal);
    this.#lowerPrefixes.collect(value, found);
    this.#lowerSuffixes.collect(value, found);
  }

  #collectOthers(value: Scalar, found: Entry<Member>[]): void {
    const lookup = ++this.#lookups;
    const excluding: Entry<Entry<Member>>[] = [];
    this.#exclusions?.collect(value, excluding);
    for (const { members } of excluding) for (const entry of members) entry.excludedAt = lookup;
    for (const entry of this.#anythingBut) if (entry.excludedAt !== lookup) found.push(entry);
  }

  #place(entry: Entry<Member>): void {
    const { test } = entry;
    switch (test.is) {
      case "equals":
        this.#equal.set(test.value, entry);
        break;
      case "equalsIgnoreCase":
        this.#ignoringCaseCount++;
        this.#lowerCase.set(test.text, entry);
        break;
      case "prefix":
      case "suffix":
        if (test.ignoreCase) this.#ignoringCaseCount++;
        this.#ends(test).add(test.text, entry);
        break;
      case "wildcard":
        this.#wildcardCount++;
        this.#wildcards.add(entry as TextEntry<Member>);
        break;
      case "range":
        this.#numbers.add(entry as RangeEntry<Member, number>);
        break;
      case "address":
        this.#addresses.add(entry as RangeEntry<Member, string>);
        break;
      case "anythingBut":
        this.#anythingBut.push(entry);
        this.#exclusions ??= new ValueIndex();
        for (const inner of test.none) this.#exclusions.add(inner, entry);
        break;
      case "present":
        this.#present = entry;
    }
  }

  #displace(entry: Entry<Member>): void {
    const { test } = entry;
    switch (test.is) {
      case "equals":
        this.#equal.delete(test.value);
        break;
      case "equalsIgnoreCase":
        this.#ignoringCaseCount--;
        this.#lowerCase.delete(test.text);
        break;
      case "prefix":
      case "suffix":
        if (test.ignoreCase) this.#ignoringCaseCount--;
        this.#ends(test).remove(test.text, entry);
        break;
      case "wildcard":
        this.#wildcardCount--;
        this.#wildcards.remove(entry as TextEntry<Member>);
        break;
      case "range":
        this.#numbers.remove(entry as RangeEntry<Member, number>);
        break;
      case "address":
        this.#addresses.remove(entry as RangeEntry<Member, string>);
        break;
      case "anythingBut":
        this.#anythingBut = this.#anythingBut.filter((other) => other !== entry);
        for (const inner of test.none) this.#exclusions?.remove(inner, entry);
        break;
      case "present":
        this.#present = undefined;
    }
  }

  #ends({ is, ignoreCase }: { is: "prefix" | "suffix"; ignoreCase: boolean }): Trie<Entry<Member>> {
    if (is === "prefix") return ignoreCase ? this.#lowerPrefixes : this.#prefixes;
    return ignoreCase ? this.#lowerSuffixes : this.#suffixes;
  }
}

function rangeCrowd(rangesCount: number): number {
  return Math.min(1 + rangesCount / RANGES_PER_HIT, HARDLY_SELECTIVE / 2);
}

/** The indexes read the bounds and pieces from the entry itself, so it carries those of its test. */
function newEntry<Member>(test: ValueTest): Entry<Member> {
  const entry = { test, members: [], excludedAt: 0 };
  if (test.is === "wildcard") return { ...entry, pieces: test.pieces } as TextEntry<Member>;
  if (test.is === "address") {
    const { low, high } = test;
    return { ...entry, low, lowOpen: false, high, highOpen: false } as RangeEntry<Member, string>;
  }
  if (test.is !== "range") return entry;
  const { low, lowOpen, high, highOpen } = test;
  return { ...entry, low, lowOpen, high, highOpen } as RangeEntry<Member, number>;
}
