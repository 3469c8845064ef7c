import assert from "node:assert/strict";
import { test } from "node:test";
import { HashIndex } from "./hash-index.ts";

/** An index of keys by their place in a list, under a hash of the test's choice. */
class Keys {
  readonly list: string[] = [];
  #sought = "";
  readonly #index = new HashIndex((place) => this.list[place] === this.#sought);
  readonly #hashOf: (key: string) => number;

  constructor(hashOf: (key: string) => number) {
    this.#hashOf = hashOf;
  }

  put(key: string): void {
    this.#sought = key;
    this.#index.put(this.#hashOf(key), this.list.push(key) - 1);
  }

  find(key: string): number {
    this.#sought = key;
    return this.#index.find(this.#hashOf(key));
  }
}

function spreadHash(key: string): number {
  let hash = 0x811c9dc5;
  for (const letter of Buffer.from(key)) hash = Math.imul(hash ^ letter, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const HASHES: [string, (key: string) => number, number][] = [
  ["spread evenly", spreadHash, 100_000],
  ["that differ in their highest bits only", (key) => (spreadHash(key) & 0xfff00000) >>> 0, 20_000],
  ["that differ in their lowest bits only", (key) => spreadHash(key) & 0xfff, 6000],
  ["that are all the same", () => 0xffffffff, 2500],
];

for (const [which, hashOf, count] of HASHES) {
  test(`${count} keys with hashes ${which} are found, and no others`, () => {
    const keys = new Keys(hashOf);
    assert.equal(keys.find("0"), -1);
    for (let key = 0; key < count; key++) keys.put(String(key));
    for (let key = 0; key < count; key += 7) {
      assert.equal(keys.find(String(key)), key);
      assert.equal(keys.find(`not ${key}`), -1);
    }
  });
}

test("a key that is put again is found where it was put last", () => {
  const keys = new Keys(spreadHash);
  for (let key = 0; key < 10_000; key++) keys.put(String(key % 5000));
  for (let key = 0; key < 5000; key++) assert.equal(keys.find(String(key)), 5000 + key);
});
