// npm run bench -- matcher [--rules N] [--events N] [--rounds N] [--seconds S] [--seed N] [--json]
//
// Events per second through one matcher with all the rules, through a matcher for each rule (a pass per pattern), and
// through the naive matcher of the model tests. One thread, no server. README.md says how to read it.

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { Random } from "../../src/base/random.ts";
import { compileParsedPattern, EVENT_BRIDGE, type JsonObject, Matcher, type Pattern } from "../../src/engine/index.ts";
import { naiveMatches } from "../../tests/model/naive-matcher.ts";
import { parcel } from "./events.ts";
import { RULE_SETS, type RuleSet } from "./rules.ts";

interface Options {
  rulesCount: number;
  eventsCount: number;
  rounds: number;
  seconds: number;
  seed: number;
}

/** Answers with the numbers of the rules that match. */
type Subject = (event: JsonObject) => number[];

interface Row {
  kind: string;
  idsPerEvent: number;
  addsPerSecond: number;
  /** Events per second, medians of the rounds. */
  matcher: number;
  /** With JSON.parse of each event's text. */
  matcherFromText: number;
  passPerPattern: number;
  naive: number;
}

/** Subjects must agree on so many events before anything is measured. */
const CHECKED_EVENTS = 20;

export async function matcher(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rules: { type: "string", default: "1000" },
      events: { type: "string", default: "2000" },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "0.5" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
    },
  });
  const options: Options = {
    rulesCount: Number(values.rules),
    eventsCount: Number(values.events),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
  };
  const random = new Random(options.seed);
  const texts = Array.from({ length: options.eventsCount }, () => JSON.stringify(parcel(random)));
  const rows: Row[] = [];
  for (const ruleSet of RULE_SETS) {
    rows.push(measureSet(ruleSet, texts, options));
    if (!values.json) process.stderr.write(`${ruleSet.kind}\n`);
  }
  if (values.json) console.log(JSON.stringify({ node: process.version, ...options, rows }));
  else printTable(rows, options);
  return 0;
}

function measureSet({ kind, rule }: RuleSet, texts: string[], options: Options): Row {
  const rules = Array.from({ length: options.rulesCount }, (_, number) => rule(number));
  const patterns = rules.map(compiled);
  const addingSince = performance.now();
  const all = matcherOf(patterns.map((pattern, number) => [number, pattern]));
  const addingSeconds = (performance.now() - addingSince) / 1000;
  const single = patterns.map((pattern, number) => matcherOf([[number, pattern]]));

  const matcher: Subject = (event) => all.match(event);
  const passPerPattern: Subject = (event) => single.flatMap((one) => one.match(event));
  const naive: Subject = (event) => rules.flatMap((each, number) => (naiveMatches(each, event) ? [number] : []));

  const events: JsonObject[] = texts.map((text) => JSON.parse(text));
  for (const event of events.slice(0, CHECKED_EVENTS)) {
    const expected = naive(event);
    assert.deepEqual(matcher(event), expected);
    assert.deepEqual(passPerPattern(event), expected);
  }
  let ids = 0;
  for (const event of events) ids += matcher(event).length;
  const rates: Record<"matcher" | "matcherFromText" | "passPerPattern" | "naive", number[]> = {
    matcher: [],
    matcherFromText: [],
    passPerPattern: [],
    naive: [],
  };
  for (let round = 0; round < options.rounds; round++) {
    // Subjects take turns, so that a noisy moment of the machine hits all of them.
    rates.matcher.push(eventsPerSecond(events, matcher, options.seconds));
    rates.matcherFromText.push(eventsPerSecond(texts, (text) => matcher(JSON.parse(text)), options.seconds));
    rates.passPerPattern.push(eventsPerSecond(events, passPerPattern, options.seconds));
    rates.naive.push(eventsPerSecond(events, naive, options.seconds));
  }
  return {
    kind,
    idsPerEvent: ids / events.length,
    addsPerSecond: patterns.length / addingSeconds,
    matcher: median(rates.matcher),
    matcherFromText: median(rates.matcherFromText),
    passPerPattern: median(rates.passPerPattern),
    naive: median(rates.naive),
  };
}

function compiled(rule: JsonObject): Pattern {
  const result = compileParsedPattern(rule, EVENT_BRIDGE);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function matcherOf(patterns: [number, Pattern][]): Matcher<number> {
  const matcher = new Matcher<number>();
  for (const [number, pattern] of patterns) matcher.add(number, pattern);
  return matcher;
}

/** A tenth of the time to warm up, then the rest. */
function eventsPerSecond<Given>(events: Given[], subject: (event: Given) => unknown, seconds: number): number {
  let count = 0;
  let since = performance.now();
  let isWarm = false;
  for (let at = 0; ; at = (at + 1) % events.length) {
    subject(events[at] as Given);
    count++;
    const passed = (performance.now() - since) / 1000;
    if (isWarm && passed > seconds) return count / passed;
    if (isWarm || passed < seconds / 10) continue;
    isWarm = true;
    count = 0;
    since = performance.now();
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

function printTable(rows: Row[], { rulesCount, rounds, seconds, seed }: Options): void {
  const header = ["rules", "ids/event", "matcher", "from text", "pass per pattern", "naive", "adds/s"];
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  const cells = rows.map((row) => [
    row.kind,
    row.idsPerEvent.toFixed(2),
    whole(row.matcher),
    whole(row.matcherFromText),
    whole(row.passPerPattern),
    whole(row.naive),
    whole(row.addsPerSecond),
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...cells].map((line) => line[column]?.length ?? 0)));
  for (const line of [header, ...cells]) {
    const padded = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
    );
    console.log(padded.join("  "));
  }
  console.log(
    `\nEvents per second, ${rulesCount.toLocaleString("en")} rules of a kind; medians of ${rounds} rounds of ${seconds} s, seed ${seed}, one thread, Node ${process.version}.`,
  );
}
